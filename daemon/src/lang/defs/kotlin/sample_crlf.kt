package crlf

import a.b.*

/**
 * Has two lines
 * of doc.
 */
@Slow
internal class Line(
	val start: Int,
) : Base()
{
	// The count.
	private var count = 0

	fun next(step: Int): Int
	{
		for (i in 0..step)
			count += i
		return count
	}
}
