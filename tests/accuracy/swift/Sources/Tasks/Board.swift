public typealias Filter = (Job) -> Bool // ⟦ def Filter ; ref Job type ⟧

struct Stack<Element> { // ⟦ def Stack ⟧
    private var items: [Element] = [] // ⟦ def Stack.items ⟧

    mutating func push(_ item: Element) { // ⟦ def Stack.push ⟧
        items.append(item) // ⟦ ref Stack.items ⟧
    }

    mutating func pop() -> Element? { // ⟦ def Stack.pop ⟧
        return items.popLast() // ⟦ ref Stack.items ⟧
    }
}

public class Board { // ⟦ def Board ; impl Board of Describable ⟧
    public static let limit = 20 // ⟦ def Board.limit ⟧

    private var jobs: [Job] = [] // ⟦ def Board.jobs ; ref Job type ⟧
    private var undo: Stack<Job> // ⟦ def Board.undo ; ref Stack type ; ref Job type ⟧

    public init() { // ⟦ def Board.init ⟧
        undo = Stack() // ⟦ ref Board.undo write ; call Stack from Board.init ⟧
    }

    @discardableResult
    public func add(_ job: Job) -> Board { // ⟦ def Board.add ; ref Job type ; ref Board type ⟧
        guard jobs.count < Board.limit else { return self } // ⟦ ref Board.jobs read ; ref Board ; ref Board.limit read ⟧
        jobs.append(job) // ⟦ ref Board.jobs ⟧
        undo.push(job) // ⟦ ref Board.undo ; call Stack.push from Board.add ⟧
        return self
    }

    public func revert() { // ⟦ def Board.revert ⟧
        guard let last = undo.pop() else { return } // ⟦ ref Board.undo ; call Stack.pop from Board.revert ⟧
        jobs.removeAll { $0 === last } // ⟦ ref Board.jobs ⟧
    }

    public func find(titled title: String) -> Job? { // ⟦ def Board.titled.find ; ref Job type ⟧
        return jobs.first { $0.title == title } // ⟦ ref Board.jobs read ; ref Job.title read ⟧
    }

    func find(where matches: Filter) -> [Job] { // ⟦ def Board.where.find ; ref Filter type ; ref Job type ⟧
        return jobs.filter(matches) // ⟦ ref Board.jobs read ⟧
    }

    func assign(_ title: String, to person: Person) -> Bool { // ⟦ def Board.assign ; ref Person type ⟧
        guard let job = find(titled: title) else { return false } // ⟦ call Board.titled.find from Board.assign ⟧
        job.owner = person // ⟦ ref Job.owner write ⟧
        return true
    }
}

extension Board: Describable { // ⟦ ref Board type ; ref Describable type ⟧
    public func weight() -> Int { // ⟦ def Board.weight ⟧
        var weight = 0
        for job in jobs { // ⟦ ref Board.jobs read ⟧
            weight += job.weight() // ⟦ call Job.weight from Board.weight ⟧
        }
        return weight
    }

    public func describe() -> String { // ⟦ def Board.describe ; impl Board.describe of Describable.describe ⟧
        return lines(of: find(where: isOpen)).joined(separator: "\n") // ⟦ call lines from Board.describe ; call Board.where.find from Board.describe ; ref isOpen read ⟧
    }
}

func isOpen(_ job: Job) -> Bool { // ⟦ def isOpen ; ref Job type ⟧
    return !job.done // ⟦ ref Job.done read ⟧
}

func lines(of things: [Describable]) -> [String] { // ⟦ def lines ; ref Describable type ⟧
    return things.map { $0.describe() } // ⟦ call Describable.describe from lines ; may Job.describe, Person.describe, Board.describe ⟧
}
