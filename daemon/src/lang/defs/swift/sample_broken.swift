import Foundation

/// Still whole.
class Before {
    private var count = 1

    func first() -> Int { count }

    func damaged(a: Int) {
        let x = count + )
        first()
    }

    /// Comes after the damage.
    public func last(name: String) -> Int { name.count }
}

class After: Before {
    func end() { last(name: "") }
}
