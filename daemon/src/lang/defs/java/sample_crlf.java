package crlf;

import java.util.*;

/**
 * Has two lines
 * of doc.
 */
@Deprecated
public final class Line
	extends Base
{
	// The count.
	private int count;

	int next(int step)
	{
		for (int i = 0; i < step; i++)
			count += i;
		return count;
	}
}
