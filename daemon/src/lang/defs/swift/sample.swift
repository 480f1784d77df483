import Foundation
@testable import struct Tools.Hammer

/// How many.
public let limit = 10
private(set) var shared: [String] = []
var doubled: Int { limit * 2 }

/**
 * Something that has a size.
 */
@objc
public protocol Sized: AnyObject, Named {
	associatedtype Item: Equatable
	var size: Int { get }
	init(size: Int)
	func corner(at index: Int) throws -> Item
	static func == (left: Self, right: Self) -> Bool
}

typealias Change<T> = (T) -> Void

enum Planet: String, CaseIterable {
	/// The first.
	case mercury = "m"
	case venus, mars
	indirect case other(Int, inside: Planet)

	var isNear: Bool { self == .mercury }
	func pull() -> Double { 1.0 }
}

// Says what follows,
// in two lines.
@available(iOS 13, *)
open class Box<T: Equatable>: Container<T>, Sized, Swift.Codable where T: Hashable {
	public private(set) var width: Int = 0, height = 1
	private let (left, right) = (1, 2)
	static let standard = Box(width: 1)
	fileprivate var größe: String?
	lazy var late: Int = { 3 }()
	var area: Int {
		get { return width * height }
		set(value) { width = value }
	}
	var watched = 0 {
		didSet { changed() }
	}

	public required init?(width: Int, _ name: String = "box") throws {
		self.width = width
		super.init()
	}
	convenience init() { self.init(width: 1) }
	deinit { close() }

	public subscript(index: Int) -> T { items[index] }
	public static func + (left: Box, right: Box) -> Box { left }
	static func <> (left: Box, right: Box) -> Bool { false }

	/// Overloaded by label.
	func put(_ item: T) { put(item, at: 0) }
	internal func put(_ item: T, at index: Int) { items[index] = item }
	class func make() -> Self { fatalError() }

	private struct Lid: Codable {
		var open = false
	}
}

public extension Box.Lid {
	func turn() {}
}

extension String: Sized, Named {
	var half: Int { count / 2 }
	static func of<U>(_ u: U) -> String { "\(u)" }
}

actor Counter {
	var count = 0
}

/// Goes every way.
@discardableResult
fileprivate func ways<U>(_ thing: Any?, with items: inout [U]) async throws -> Int where U: Sized {
	guard let thing = thing, items.count > 1 else { return 0 }
	let box: Box<Int> = .init(), other = Box(width: 2)
	let (a, b) = (1, 2)
	if let found = thing as? String { print(found) } else if a > 1 && b > 1 || a == b { box.width += 1 }
	for (index, item) in items.enumerated() where index > 1 { use(item) }
	for one in items { use(one) }
	while a > 0 { break }
	repeat { step() } while b > 0
	switch thing {
	case let text as String: print(text)
	case 1, 2: fallthrough
	case Planet.other(let n, inside: _): use(n)
	default: break
	}
	do {
		try await load()
	} catch let problem as IOError {
		problem.show()
	} catch {
		throw error
	}
	func local(_ n: Int) -> Int { n > 0 ? n : -n }
	items.map { $0.size }.filter { (size: Int) -> Bool in size > 1 }
	later { [weak self] value in self?.finish(value ?? 0) }
	shared = Array<String>()
	return local(a)
}
