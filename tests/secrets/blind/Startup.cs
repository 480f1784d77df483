using System.Net;

namespace Orders
{
    public static class Startup
    {
        const string Storage = "DefaultEndpointsProtocol=https;AccountName=orders;AccountKey=«azure-storage-key|{base64 86}==»;EndpointSuffix=core.windows.net";
        const string Bus = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=«azure-bus-key|{base64 43}=»";
        const string Sas = "https://orders.blob.core.windows.net/files?sv=2022-11-02&ss=b&srt=sco&sp=r&se=2027-01-01T00:00:00Z&sig=«azure-signature|{alnum 43}%3D»";
        const string Sql = "Server=tcp:orders.database.windows.net;Database=orders;User ID=app;Password=«connection-password|Copper#Violin5»;Encrypt=True";
        const string Cosmos = "AccountEndpoint=https://orders.documents.azure.com:443/;AccountKey=«azure-cosmos-key|{base64 86}==»;";
        const string Tenant = "0e3c1f8a-9f7b-4a1c-8d52-6b1f0a9c7e44";

        public static NetworkCredential Mail() => new NetworkCredential("mailer", "«password|Saffron.Piano.61»");

        public static void Configure(Options options)
        {
            options.ClientId = Tenant;
            options.ClientSecret = "«azure-client-secret|abc8Q~{alnum 34}»";
            options.JwtSigningKey = "«signing-key|{alnum 48}»";
            options.Retries = 3;
        }
    }
}
