#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace press {

template <typename T>
class Queue { // ⟦ def Queue ⟧
public:
    using Filter = std::function<bool(const T&)>; // ⟦ def Queue.Filter ⟧

    void push(T item) { // ⟦ def Queue.push ⟧
        items_.push_back(std::move(item)); // ⟦ ref Queue.items_ read ⟧
    }

    T pop() { // ⟦ def Queue.pop ⟧
        T first = std::move(items_.front()); // ⟦ ref Queue.items_ read ⟧
        items_.erase(items_.begin()); // ⟦ ref Queue.items_ read ⟧
        return first;
    }

    bool empty() const { return size() == 0; } // ⟦ def Queue.empty ; call Queue.size from Queue.empty ⟧

    std::size_t size() const { return items_.size(); } // ⟦ def Queue.size ; ref Queue.items_ read ⟧

    std::size_t count(const Filter& accept) const { // ⟦ def Queue.count ; ref Queue.Filter type ⟧
        std::size_t count = 0;
        for (const T& item : items_) { // ⟦ ref Queue.items_ read ⟧
            count += accept(item) ? 1 : 0;
        }
        return count;
    }

private:
    std::vector<T> items_; // ⟦ def Queue.items_ ⟧
};

template <typename T>
T largest(T left, T right) { // ⟦ def largest ⟧
    return left < right ? right : left;
}

} // namespace press
