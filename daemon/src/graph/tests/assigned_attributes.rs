//! Attributes that only methods assign: `def connect(self): self.session = Session()`.

use super::meant;

#[test]
fn an_attribute_may_be_assigned_in_any_method() {
    let text = "
class Session:
    def fetch(self): pass
    def close(self): pass

class Client:
    def connect(self):
        self.session = Session()
        return self

    def __enter__(self):
        with lock():
            self.pool = Session()

    def run(self):
        self.session.«fetch»()
        self.pool.«close»()
        self.missing.«close»()

class TestClient:
    def setup_method(self):
        self.client = Client()

    def test_run(self):
        self.client.«run»()
        self.client.connect().«run»()
";
    let expected = [
        "Session.fetch",
        "Session.close",
        "?Session.close",
        "Client.run",
        "Client.run",
    ];
    assert_eq!(meant("python", &[("a.py", text)]), expected);
}
