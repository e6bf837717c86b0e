"""Chance -> the texts that stand on screens: Chinese, English, numerals, and lines that mix them."""

CHINESE = (
    "设置 通知 隐私政策 退出登录 立即购买 加入购物车 我的订单 待收货 待付款 消息 首页 分类 发现 关注 推荐 热门 搜索商品 优惠券 收藏夹 浏览记录 "
    "地址管理 客服中心 关于我们 清除缓存 账号与安全 修改密码 手机号码 验证码 获取验证码 下一步 确认支付 取消订单 申请退款 物流信息 已签收 评价晒单 "
    "全部 综合 销量 价格 筛选 确定 重置 朋友圈 扫一扫 附近的人 直播 短视频 点赞 评论 转发 分享到微信 举报 拉黑 编辑资料 昵称 性别 生日 个性签名 "
    "夜间模式 字体大小 语言 简体中文 繁體中文 蓝牙 无线网络 移动数据 飞行模式 电池电量 存储空间 系统更新 正在加载 网络异常 请重试 没有更多了 猜你喜欢 "
    "限时秒杀 满减活动 包邮 七天无理由退货 正品保证 登录 注册 忘记密码 同意 用户协议 跳过 广告 会员中心 充值 提现 余额 积分商城 签到 任务 排行榜 "
    "鼠标 键盘 耳机 充电器 连衣裙 运动鞋 咖啡 牛奶 面包 苹果 香蕉 请输入用户名 密码错误 今天 昨天 星期三 上午 下午 云南白药 提交成功 稍后再说 "
    "国际漫游 麦克风权限 摄像头 麻辣香锅 蘑菇炒饭 新疆大盘鸡 酸辣粉 糖醋排骨 深圳北站 候车室 检票口 靠窗 过道 硬卧 头等舱 体温 血压 挂号 缴费"
).split()
# Signs that are not of the simplified script.
TRADITIONAL = "訂單編號 歡迎光臨 國際 龍鳳 麵食 購物車 語言設定".split()

ENGLISH = (
    "Settings|Notifications|Privacy|Sign in|Sign out|Add to cart|Buy now|Orders|Checkout|Continue|Cancel|OK|Done|Edit|Delete|Search|Filter|"
    "Sort|Home|Profile|Messages|Help|Feedback|Language|Wi-Fi|Bluetooth|Battery|Storage|About|Accept all|Decline|Skip|Next|Back|Close|More|"
    "Share|Save|Upload|Download|Retry|Loading…|Password|Username|Email address|Phone number|Forgot password?|Remember me|Terms of Service|"
    "Free delivery|In stock|Sold out|New|Sale|Today|Yesterday|Monday|January|Quantity|Total|Subtotal|Discount|Shipping|Address|"
    "Payment method|Place order|Track package|Write a review|Log in with Google|Airplane mode|Dark theme|Display|Sound|Display size|"
    "Security|Updates|Version|Wallet|Top up|Withdraw|Balance|Rewards|Invite friends|Follow|Following|Followers|Like|Comment|Report|Block|"
    "Mute|Ask me later|Don't allow|While using the app|Turn on location|Good morning|Level complete|Game over|High score|Try again|"
    "Gate closes in|Window seat|Boarding pass|Heart rate|Sleep quality|Jigsaw puzzle|Quick fixes|Xylophone|Zip code"
).split("|")

TABS = "首页 分类 消息 我的 购物车 发现 Home Me Shop Inbox".split()
SIDES = ["侧边导航", "More options", "查看全部", "Details", "返回顶部", "Feedback"]


def chinese(chance):
    return chance.choice(TRADITIONAL) if chance.random() < 0.06 else chance.choice(CHINESE)


def word(chance):
    """A label of one language."""
    return chinese(chance) if chance.random() < 0.58 else chance.choice(ENGLISH)


def numeral(chance):
    whole = chance.randint
    return chance.choice([
        lambda: f"¥{whole(1, 9999)}.{whole(0, 99):02d}",
        lambda: f"${whole(1, 999)}.{whole(0, 99):02d}",
        lambda: f"{whole(0, 23):02d}:{whole(0, 59):02d}",
        lambda: f"2026-{whole(1, 12):02d}-{whole(1, 28):02d}",
        lambda: f"{whole(1, 100)}%",
        lambda: f"138****{whole(0, 9999):04d}",
        lambda: f"{whole(1, 9)},{whole(0, 999):03d}",
        lambda: f"×{whole(2, 9)}",
        lambda: f"{whole(10, 99)}+",
        lambda: f"{whole(10, 5000) / 10:.1f} MB",
        lambda: f"v{whole(1, 9)}.{whole(0, 20)}.{whole(0, 9)}",
    ])()


def mixed(chance):
    """A line of Chinese, English and numbers."""
    whole = chance.randint
    return chance.choice([
        lambda: f"共{whole(2, 99)}件商品",
        lambda: f"iPhone {whole(11, 17)} Pro 保护壳",
        lambda: f"已售{whole(1, 9)}.{whole(0, 9)}万件",
        lambda: f"VIP会员 {whole(1, 12)}个月",
        lambda: "WiFi已连接",
        lambda: f"订单号：{whole(10**9, 10**10 - 1)}",
        lambda: "App Store 下载",
        lambda: f"满{whole(1, 9)}00减{whole(1, 9)}0",
        lambda: "USB调试",
        lambda: f"Type-C 数据线 {whole(1, 3)}米",
        lambda: f"剩余 {whole(1, 59)} 分钟",
        lambda: "5G畅享套餐",
        lambda: "小明 or alice",
        lambda: f"欢迎，{chance.choice(['小明', 'Alice', '李雷'])}",
        lambda: f"{chance.choice(['上海', '北京', '广州'])} → {chance.choice(['杭州', 'Tokyo', '成都'])}",
        lambda: f"Level {whole(1, 99)} 已通关",
        lambda: f"G{whole(100, 999)}次 {whole(6, 22):02d}:{whole(0, 59):02d}开",
        lambda: "登录 Google 账号",
    ])()


def text(chance):
    kind = chance.random()
    if kind < 0.42:
        return chinese(chance)
    if kind < 0.7:
        return chance.choice(ENGLISH)
    return numeral(chance) if kind < 0.85 else mixed(chance)
