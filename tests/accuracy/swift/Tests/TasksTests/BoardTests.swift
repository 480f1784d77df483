import XCTest
@testable import Tasks

final class BoardTests: XCTestCase { // ⟦ def BoardTests ⟧
    func testWeightCountsOpenJobs() { // ⟦ def BoardTests.testWeightCountsOpenJobs ⟧
        let board = Board() // ⟦ call Board from BoardTests.testWeightCountsOpenJobs ; may Board.init ⟧
        let job = Job("sweep", .high) // ⟦ call Job from BoardTests.testWeightCountsOpenJobs ; ref Priority.high read ⟧
        board.add(job) // ⟦ call Board.add from BoardTests.testWeightCountsOpenJobs ⟧
        XCTAssertEqual(board.weight(), Priority.high.weight()) // ⟦ call Board.weight from BoardTests.testWeightCountsOpenJobs ; ref Priority ; ref Priority.high read ; call Priority.weight from BoardTests.testWeightCountsOpenJobs ⟧
        job.finish() // ⟦ call Job.finish from BoardTests.testWeightCountsOpenJobs ⟧
        XCTAssertEqual(job.weight(), 0) // ⟦ call Job.weight from BoardTests.testWeightCountsOpenJobs ⟧
    }

    func testChoresComeBack() { // ⟦ def BoardTests.testChoresComeBack ⟧
        let chore = Chore("dishes") // ⟦ call Chore from BoardTests.testChoresComeBack ⟧
        chore.finish() // ⟦ call Chore.finish from BoardTests.testChoresComeBack ⟧
        XCTAssertFalse(chore.done, "done too early") // ⟦ ref Job.done read ⟧
    }

    func testOwnerIsShown() { // ⟦ def BoardTests.testOwnerIsShown ⟧
        let ada = Person("Ada") // ⟦ call Person from BoardTests.testOwnerIsShown ⟧
        let board = Board().add(Job("sum")) // ⟦ call Board from BoardTests.testOwnerIsShown ; may Board.init ; call Board.add from BoardTests.testOwnerIsShown ; call Job from BoardTests.testOwnerIsShown ⟧
        XCTAssertTrue(board.assign("sum", to: ada)) // ⟦ call Board.assign from BoardTests.testOwnerIsShown ⟧
        XCTAssertEqual(lines(of: [ada]), ["@Ada"]) // ⟦ call lines from BoardTests.testOwnerIsShown ⟧
        board.revert() // ⟦ call Board.revert from BoardTests.testOwnerIsShown ⟧
        XCTAssertEqual(board.describe(), "") // ⟦ call Board.describe from BoardTests.testOwnerIsShown ⟧
    }
}
