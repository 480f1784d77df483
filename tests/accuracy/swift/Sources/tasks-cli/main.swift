import Tasks

func sample() -> Board { // ⟦ def sample ; ref Board type ⟧
    let board = Board() // ⟦ call Board from sample ; may Board.init ⟧
    board.add(Job("write report", .high)).add(Chore("water plants", .low)) // ⟦ call Board.add from sample ; call Job from sample ; ref Priority.high read ; call Chore from sample ; ref Priority.low read ⟧
    return board
}

func run(arguments: [String]) { // ⟦ def run ⟧
    let board = sample() // ⟦ call sample from run ⟧
    for title in arguments {
        board.find(titled: title)?.finish() // ⟦ call Board.titled.find from run ; call Job.finish from run ; may Chore.finish ⟧
    }
    print(board.describe()) // ⟦ call Board.describe from run ⟧
    print("weight: \(board.weight()) of \(Board.limit)") // ⟦ call Board.weight from run ; ref Board ; ref Board.limit read ⟧
}

run(arguments: Array(CommandLine.arguments.dropFirst())) // ⟦ call run from - ⟧
