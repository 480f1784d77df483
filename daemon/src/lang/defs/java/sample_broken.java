package broken;

import java.util.List;

/** Still whole. */
public class Before {
    private int count;

    int first() { return count; }

    void damaged( {
        if (count > 1 { first(); }
    }

    /** Comes after the damage. */
    public int last(List<String> names) { return names.size(); }
}

class After extends Before {
    int x = = 3;

    void end() { last(null); }
}
