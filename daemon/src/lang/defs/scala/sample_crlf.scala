package crlf

/**
 * Has two lines
 * of doc.
 */
@deprecated
final class Line(
	val start: Int
) extends Base
{
	// The count.
	private var count = 0

	def next(step: Int): Int =
	{
		for (i <- 0 to step)
			count += i
		count
	}
}
