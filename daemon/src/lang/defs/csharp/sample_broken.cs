namespace Broken;

using System;

/// <summary>Still whole.</summary>
public class Before
{
    private int count;

    int First() { return count; }

    void Damaged(int a) {
        var x = count + ;
        First(;
    }

    /// <summary>Comes after the damage.</summary>
    public int Last(string name) => name.Length;
}

internal class After : Before
{
    int x = = 3;

    public void End() { Last(""); }
}
