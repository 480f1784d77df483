namespace Crlf;

/// <summary>
/// Has more lines.
/// </summary>
[Serializable]
public sealed class Line
	: Base
{
	// The count.
	private int count;

	public int Next(int step)
	{
		for (int i = 0; i < step; i++)
			count += i;
		return count;
	}
}
