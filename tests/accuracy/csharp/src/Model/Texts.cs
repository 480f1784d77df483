namespace Support.Model
{
    public static class Texts // ⟦ def Texts ⟧
    {
        public static string Shorten(this string text, int limit) // ⟦ def Shorten ⟧
        {
            return text.Length <= limit ? text : text.Remove(limit) + "…";
        }

        public static string Format(string title, int count) // ⟦ def Texts.Format ⟧
        {
            return string.Format("{0} ({1})", title.Shorten(10), count); // ⟦ call Shorten from Texts.Format ⟧
        }
    }
}
