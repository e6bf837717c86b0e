//! What the shop sells.

use super::words::Language;

/// A product as it is listed; how many are left is the session's business.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) id: &'static str,
    english: &'static str,
    chinese: &'static str,
    pub(super) cents: i64,
    /// How many there are at first.
    pub(super) stock: i64,
    pub(super) picture: &'static str,
    english_description: &'static str,
    chinese_description: &'static str,
}

impl Product {
    pub(super) fn name(&self, language: Language) -> &'static str {
        language.pick(self.english, self.chinese)
    }

    pub(super) fn description(&self, language: Language) -> &'static str {
        language.pick(self.english_description, self.chinese_description)
    }

    /// Tells whether its name in any language holds the text; letter case does not matter.
    fn matches(&self, text: &str) -> bool {
        self.english.to_lowercase().contains(text) || self.chinese.to_lowercase().contains(text)
    }
}

pub(super) fn find(id: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.id == id)
}

pub(super) fn search(text: &str) -> Vec<&'static Product> {
    let text = text.trim().to_lowercase();
    PRODUCTS.iter().filter(|product| product.matches(&text)).collect()
}

const PRODUCTS: &[Product] = &[
    Product {
        id: "green_tea",
        english: "Green tea",
        chinese: "绿茶",
        cents: 1250,
        stock: 20,
        picture: "illustration:tea",
        english_description: "Spring leaves, 100 g.",
        chinese_description: "春茶，100 克。",
    },
    Product {
        id: "coffee_beans",
        english: "Coffee beans",
        chinese: "咖啡豆",
        cents: 4980,
        stock: 12,
        picture: "illustration:coffee",
        english_description: "Roasted slowly, 500 g.",
        chinese_description: "慢速烘焙，500 克。",
    },
    Product {
        id: "notebook",
        english: "Notebook",
        chinese: "笔记本",
        cents: 890,
        stock: 50,
        picture: "illustration:book",
        english_description: "80 sheets, lined.",
        chinese_description: "80 页，横线。",
    },
    Product {
        id: "desk_lamp",
        english: "Desk lamp",
        chinese: "台灯",
        cents: 12_900,
        stock: 5,
        picture: "illustration:lamp",
        english_description: "Warm light, three steps.",
        chinese_description: "暖光，三档调节。",
    },
    Product {
        id: "headphones",
        english: "Headphones",
        chinese: "耳机",
        cents: 29_900,
        stock: 3,
        picture: "illustration:headphones",
        english_description: "Wireless, 30 hours.",
        chinese_description: "无线，续航 30 小时。",
    },
    Product {
        id: "phone_case",
        english: "Phone case",
        chinese: "手机壳",
        cents: 3500,
        stock: 30,
        picture: "illustration:phone",
        english_description: "Fits most phones.",
        chinese_description: "适合大多数手机。",
    },
    Product {
        id: "t_shirt",
        english: "T-shirt",
        chinese: "T恤",
        cents: 7900,
        stock: 15,
        picture: "illustration:shirt",
        english_description: "Cotton, washable.",
        chinese_description: "纯棉，可机洗。",
    },
    Product {
        id: "backpack",
        english: "Backpack",
        chinese: "背包",
        cents: 15_900,
        stock: 8,
        picture: "illustration:bag",
        english_description: "20 litres, waterproof.",
        chinese_description: "20 升，防水。",
    },
    Product {
        id: "apples",
        english: "Apples",
        chinese: "苹果",
        cents: 1680,
        stock: 40,
        picture: "illustration:apple",
        english_description: "One kilogram, sweet.",
        chinese_description: "一公斤，香甜。",
    },
    Product {
        id: "potted_plant",
        english: "Potted plant",
        chinese: "盆栽",
        cents: 4500,
        stock: 6,
        picture: "illustration:plant",
        english_description: "Needs little water.",
        chinese_description: "少量浇水即可。",
    },
    Product {
        id: "running_shoes",
        english: "Running shoes",
        chinese: "跑鞋",
        cents: 39_900,
        stock: 4,
        picture: "illustration:shoes",
        english_description: "Light, for the road.",
        chinese_description: "轻便，适合公路。",
    },
    Product {
        id: "flowers",
        english: "Flowers",
        chinese: "鲜花",
        cents: 2990,
        stock: 0,
        picture: "illustration:flower",
        english_description: "A bunch of the season.",
        chinese_description: "当季花束。",
    },
];
