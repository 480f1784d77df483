/// Whatever can be shown in a list.
public protocol Describable { // ⟦ def Describable ⟧
    func describe() -> String // ⟦ def Describable.describe ⟧
}

public enum Priority: Int { // ⟦ def Priority ⟧
    case low // ⟦ def Priority.low ⟧
    case normal // ⟦ def Priority.normal ⟧
    case high // ⟦ def Priority.high ⟧

    func weight() -> Int { // ⟦ def Priority.weight ⟧
        switch self {
        case .low: return 1 // ⟦ ref Priority.low read ⟧
        case .normal: return 2 // ⟦ ref Priority.normal read ⟧
        case .high: return 5 // ⟦ ref Priority.high read ⟧
        }
    }
}

public struct Person: Describable, Equatable { // ⟦ def Person ; ref Describable type ; impl Person of Describable ⟧
    let name: String // ⟦ def Person.name ⟧

    public init(_ name: String) {
        self.name = name // ⟦ ref Person.name write ⟧
    }

    public static func nobody() -> Person { // ⟦ def Person.nobody ; ref Person type ⟧
        return Self("nobody") // ⟦ call Person from Person.nobody ⟧
    }

    public func describe() -> String { // ⟦ def Person.describe ; impl Person.describe of Describable.describe ⟧
        return "@" + name // ⟦ ref Person.name read ⟧
    }
}

public class Job: Describable { // ⟦ def Job ; ref Describable type ; impl Job of Describable ⟧
    static var counter = 0 // ⟦ def Job.counter ⟧

    public let title: String // ⟦ def Job.title ⟧
    var priority: Priority // ⟦ def Job.priority ; ref Priority type ⟧
    var owner: Person? // ⟦ def Job.owner ; ref Person type ⟧
    public private(set) var done = false // ⟦ def Job.done ⟧

    public init(_ title: String, _ priority: Priority = .normal) { // ⟦ ref Priority type ; ref Priority.normal read ⟧
        self.title = title // ⟦ ref Job.title write ⟧
        self.priority = priority // ⟦ ref Job.priority write ⟧
        Job.counter += 1 // ⟦ ref Job ; ref Job.counter write ⟧
    }

    /// The weight of a job is zero when it is done.
    func weight() -> Int { // ⟦ def Job.weight ⟧
        return done ? 0 : priority.weight() // ⟦ ref Job.done read ; ref Job.priority read ; call Priority.weight from Job.weight ⟧
    }

    public func finish() { // ⟦ def Job.finish ⟧
        done = true // ⟦ ref Job.done write ⟧
    }

    public func describe() -> String { // ⟦ def Job.describe ; impl Job.describe of Describable.describe ⟧
        let who = owner?.describe() ?? "nobody" // ⟦ ref Job.owner read ; call Person.describe from Job.describe ⟧
        return "\(title) by \(who)" // ⟦ ref Job.title read ⟧
    }
}

public final class Chore: Job { // ⟦ def Chore ; ref Job type ; impl Chore of Job ⟧
    private var times = 0 // ⟦ def Chore.times ⟧

    public override func finish() { // ⟦ def Chore.finish ; impl Chore.finish of Job.finish ⟧
        times += 1 // ⟦ ref Chore.times write ⟧
        if times > 3 { // ⟦ ref Chore.times read ⟧
            super.finish() // ⟦ call Job.finish from Chore.finish ⟧
        }
    }
}
