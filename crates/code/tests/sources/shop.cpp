#include <vector>
namespace shop {
namespace {
int hidden(int a) { return a; }
}

template <typename T, class U = std::vector<T>>
class Cart final : public Base<T>, private Other {
public:
    explicit Cart(int size) : size_(size), items_{1, 2} { fill(); }
    ~Cart() override = default;
    Cart &operator=(const Cart &) noexcept { return *this; }
    bool operator()(int a) const { return a > 1'000; }
    virtual int declared() const = 0;
    template <class F> auto apply(F &&f) -> decltype(f(1)) { return f(1); }
    static constexpr const char *text() { return R"(int no() { ")"; }
    enum class State : char { Open, Paid };
    struct Item { int price() const { return 1; } };
private:
    int size_;
    std::vector<int> items_;
};

using Name = std::string;
typedef Cart<int> IntCart;

template <>
int Cart<int>::declared() const { return 3; }
}  // namespace shop

shop::Name *shop::make(int (*f)(int), const std::string &a = "{") { return nullptr; }
extern "C" { void c_function(void) {} }
#define CHECK(a) if (a) {
