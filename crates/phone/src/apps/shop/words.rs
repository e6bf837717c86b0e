//! What the shop says, in English and Chinese.

/// A language of the shop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Chinese,
}

impl Language {
    /// Reads the first segment of a request's path.
    pub(super) fn of(segment: &str) -> Option<Self> {
        match segment {
            "en" => Some(Self::English),
            "zh" => Some(Self::Chinese),
            _ => None,
        }
    }

    /// Returns the one of two texts that is in this language.
    pub(super) fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }

    /// Returns the instance of a page: `shop_home`, `shop_home_zh`.
    pub(super) fn page(self, name: &str) -> String {
        format!("shop_{name}{}", self.pick("", "_zh"))
    }

    pub(super) fn welcome(self, user: &str) -> String {
        match self {
            Self::English => format!("Welcome, {user}"),
            Self::Chinese => format!("欢迎，{user}"),
        }
    }

    /// Says how many products were found.
    pub(super) fn found(self, count: usize) -> String {
        match (self, count) {
            (Self::English, 0) => "Nothing found".to_owned(),
            (Self::English, 1) => "1 product".to_owned(),
            (Self::English, _) => format!("{count} products"),
            (Self::Chinese, 0) => "没有找到商品".to_owned(),
            (Self::Chinese, _) => format!("{count} 件商品"),
        }
    }

    /// Says how many pieces are in the cart.
    pub(super) fn pieces(self, count: i64) -> String {
        match (self, count) {
            (Self::English, 0) => "Cart is empty".to_owned(),
            (Self::English, 1) => "1 item in cart".to_owned(),
            (Self::English, _) => format!("{count} items in cart"),
            (Self::Chinese, 0) => "购物车为空".to_owned(),
            (Self::Chinese, _) => format!("购物车 {count} 件"),
        }
    }

    pub(super) fn only_in_stock(self, stock: i64) -> String {
        match (self, stock) {
            (Self::English, 0) => "Sold out".to_owned(),
            (Self::English, _) => format!("Only {stock} in stock"),
            (Self::Chinese, 0) => "已售完".to_owned(),
            (Self::Chinese, _) => format!("库存仅剩 {stock} 件"),
        }
    }

    /// Returns a way to pay as it is called; None where there is no such way.
    pub(super) fn payment(self, payment: &str) -> Option<&'static str> {
        match payment {
            "card" => Some(self.pick("Credit card", "信用卡")),
            "transfer" => Some(self.pick("Bank transfer", "银行转账")),
            "cash" => Some(self.pick("Cash on delivery", "货到付款")),
            _ => None,
        }
    }
}

/// Writes an amount of cents: `¥12.50`.
pub(super) fn money(cents: i64) -> String {
    format!("¥{}.{:02}", cents / 100, cents % 100)
}
