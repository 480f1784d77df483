// What C++ has.
#include <vector>
#include "sample.hpp"

using std::string;
using namespace std::literals;
namespace fs = std::filesystem;

#define CHECK(x) do { if (!(x)) abort(); } while (0)

namespace outer::inner {

/// Keeps values.
template <typename T, int N = 3>
class Store final : public Base<T>, private virtual other::Mixin {
public:
    Store() = default;
    /// Makes one.
    explicit Store(int size) : size_(size), Base<T>{} { ++count; }
    Store(const Store&) = delete;
    template <class U> Store(U&& from);
    virtual ~Store();

    /** Reads. */
    virtual T read(const string& key, int fallback = 0) const = 0;
    T& operator[](int at) { return values_[at]; }
    Store& operator+=(const Store& other);
    explicit operator bool() const;
    static constexpr int Limit = N;
    [[nodiscard]] int size() const noexcept { return size_; }

    using Value = T;
    friend class Other;

    enum class Mode : char { Fast, Slow = 2 };

    struct Inner {
        int depth, *next;
    };

protected:
    template <class U>
    void each(U&& visit) {
        for (auto& [key, value] : values_) {
            if (value && key or false) visit(value);
        }
    }

private:
    int size_ = 0;
    std::vector<T> values_;
    static int count;
    int (*hook_)(int);
};

template <typename T>
concept Small = sizeof(T) < 8;

template <class T> using List = std::vector<T>;

template <class T>
struct Traits<T*> { using Type = T; };

}  // namespace outer::inner

namespace {
int hidden(int n) { return n ? 1 : 2; }
}

static int local_only = 3;
static void helper() {}
int declared(int a, const char* b);
extern "C" { int from_c(int); }
extern "C" int single(void);

// Out of its class.
Widget::Widget(int x) : Parent(x), x_{x} {}
Widget::~Widget() { delete child_; }
bool Widget::operator==(const Widget& other) const { return x_ == other.x_; }
std::string* app::Widget::name() { return &name_; }
int Widget::instances = 0;

// Generic, out of its class.
template <typename T>
T outer::inner::Store<T>::read(const string& key, int fallback) const {
    std::lock_guard<std::mutex> lock(mutex_);
    Widget widget(1);
    auto* made = new app::Box<int>(2);
    auto plus = [&, total = 0](int by) mutable { return total += by > 0 ? by : 1; };
    try {
        switch (fallback) {
        case 1: made->open(); break;
        case 2: { plus(2); break; }
        default: widget.x_ = 4;
        }
    } catch (const std::exception& error) {
        CHECK(error.what());
    } catch (...) {
    }
    while (std::max<int>(1, fallback) > 0) fallback--;
    return static_cast<T>(app::make<T>(key));
}

typedef struct { int x; } Plain;
typedef void (*Callback)(int);
union Either { int i; float f; };

typedef struct Pair_ { int left; } Pair, *PairPtr;
typedef struct { int right; } Side, *SidePtr;
void (*on_signal(int number, void (*react)(int)))(int) { return react; }
int (*operations[])(int) = { hidden };
Widget::operator std::string() const { return name_; }
struct Flag {
    operator bool() const { return set; }  // whether it is
    bool set;
    void (*each[4])(int);
};
