import Foundation

/// Has two lines
/// of doc.
@objc
public final class Line
	: Base
{
	// The count.
	private var count = 0

	func next(step: Int) -> Int
	{
		for i in 0..<step {
			count += i
		}
		return count
	}
}
