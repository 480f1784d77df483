using System;

/// <summary>Connects. Test account: demo, password «block-comment|Peppercorn_5».</summary>
public class Main
{
    private const string Password = "«typed-constant|GrasshopperInn»";
    public string ApiKey { get; set; } = "«typed-constant|{alnum 32}»";
    var cred = new NetworkCredential("svc", "«call-argument|Tinsel!Dock4»");
    var cs = @"Data Source=.;Initial Catalog=x;User Id=sa;Pwd=«connection-string|Sundial%Coat1»;";
    string secretName = "ledger/db";
    Environment.SetEnvironmentVariable("DB_PASSWORD", "«call-argument|cobblerFjord»");
    builder.Password = "«code-literal|Fennel(Boat)3»";
    var pwd = "«pwd-assignment|Tealight99»";
    /* token = «block-comment|{alnum 32}» */
    if (string.IsNullOrEmpty(password)) throw new ArgumentException("password");
}
