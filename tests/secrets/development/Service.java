package org.example.ledger;

/*
 * Old deployment notes.
 * password: «block-comment|Tortilla_Moon8»
 * The admin password is «block-comment|Yellow7Ferry» until the migration.
 */
public class Service {
    private static final String PASSWORD = "«typed-constant|plasticPalmTree»";
    private static final String API_KEY = "«typed-constant|{alnum 32}»";
    private static final String PASSWORD_KEY = "ledger.password";
    @Value("${ledger.password:«spring-default|Biscuit44tower»}")
    private String password;
    private char[] pin = "«typed-constant-pin|48151623»".toCharArray();

    // TODO remove: login with ops / «line-comment|SeventhHeron!»
    void connect() throws Exception {
        DriverManager.getConnection("jdbc:mysql://db/shop", "root", "«call-argument|Elderberry@1»");
        DriverManager.getConnection("jdbc:mysql://db/shop?user=app&password=«url-parameter|Cloudy5Pretzel»");
        dataSource.setPassword("«call-argument|velvetHedgehog»");
        conn.setRequestProperty("Authorization", "Bearer «bearer-token|{alnum 40}»");
        props.put("mail.smtp.password", "«call-argument|Gr1ndstone!Elk»");
        System.setProperty("javax.net.ssl.keyStorePassword", "«call-argument|changeit7Fox»");
        String url = "https://api.example.org/v1/pay?key=public";
        Algorithm.HMAC256("«call-argument|{alnum 32}»");
        new UsernamePasswordAuthenticationToken(user, password);
        String label = messages.get("password.label");
        String pw = request.getParameter("password");
    }
}
