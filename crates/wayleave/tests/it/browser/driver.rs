//! A browser, driven over WebDriver (`chromedriver`). Only what the tests need of the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a script may run in a page. The examination of a long page takes a minute on a machine that is busy with
/// other tests.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(240);

/// One browser with one window. Ended when dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let session = std::mem::take(&mut self.session);
        if !session.is_empty() {
            let _ = self.call("DELETE", &format!("/session/{session}"), None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// How the browser shows pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) dark: bool,
    pub(crate) scripts: bool,
}

impl Browser {
    pub(crate) fn start(look: Look) -> Self {
        let mut driver = Command::new("chromedriver")
            .args(["--port=0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "chromedriver did not start");
            if let Some(rest) = line.split("started successfully on port ").nth(1) {
                break rest.trim().trim_end_matches('.').parse().unwrap();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        browser.open_session(look);
        browser
    }

    fn open_session(&mut self, look: Look) {
        let profile = self._profile.path().display().to_string();
        let mut arguments: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--user-data-dir={profile}"));
        let mut options = json!({ "args": arguments });
        if !look.scripts {
            options["prefs"] = json!({ "profile.managed_default_content_settings.javascript": 2 });
        }
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": { "script": SCRIPT_TIMEOUT.as_millis() as u64 },
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "performance": "ALL", "browser": "ALL" },
        } } });
        let opened = self.call("POST", "/session", Some(capabilities));
        self.session =
            opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
        // A window has a smallest width, so the page's own width is set instead.
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": false }),
        );
        let scheme = if look.dark { "dark" } else { "light" };
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
    }

    /// Calls the DevTools protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    pub(crate) fn open(&self, address: &str) {
        self.post("url", json!({ "url": address }));
    }

    /// The address of the document that is shown. The driver names the next one before it is there.
    pub(crate) fn address(&self) -> String {
        let address = self.run("return document.readyState === 'loading' ? '' : location.href");
        address.as_str().unwrap().to_owned()
    }

    /// Runs a script in the page and returns its result.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Runs a script that calls its last argument with the result.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        self.post("execute/async", json!({ "script": script, "args": [] }))
    }

    /// The visible text of the page.
    pub(crate) fn text(&self) -> String {
        // In one step: an element may be gone when its text is asked for.
        let text = self.run("return document.body ? document.body.innerText : ''");
        text.as_str().unwrap().to_owned()
    }

    pub(crate) fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/click"), json!({}));
    }

    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/clear"), json!({}));
        self.post(&format!("element/{element}/value"), json!({ "text": text }));
    }

    pub(crate) fn has(&self, selector: &str) -> bool {
        let found = self.post("elements", json!({ "using": "css selector", "value": selector }));
        found.as_array().is_some_and(|all| !all.is_empty())
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("element", json!({ "using": "css selector", "value": selector }));
        let element = found.as_object().and_then(|all| all.values().next()?.as_str());
        element.unwrap_or_else(|| panic!("{selector} is not on {}", self.address())).to_owned()
    }

    /// Waits until the condition holds, at most 20 seconds.
    pub(crate) fn wait_until(&self, what: &str, condition: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !condition(self) {
            assert!(Instant::now() < end, "{what}: {} shows {}", self.address(), self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A picture of the whole page, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        // The browser draws no higher pictures.
        let size = self.run("const page = document.documentElement; return [page.clientWidth, Math.min(page.scrollHeight, 16000)]");
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let shot = self.devtools(
            "Page.captureScreenshot",
            json!({ "format": "png", "captureBeyondViewport": true, "clip": clip }),
        );
        data_encoding::BASE64.decode(shot["data"].as_str().unwrap().as_bytes()).unwrap()
    }

    /// The addresses of all requests since the last call.
    pub(crate) fn requested(&self) -> Vec<String> {
        let log = self.post("se/log", json!({ "type": "performance" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let request = |entry: &Value| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let is_request = message["message"]["method"] == "Network.requestWillBeSent";
            let address = message["message"]["params"]["request"]["url"].as_str()?;
            is_request.then(|| address.to_owned())
        };
        entries.iter().filter_map(request).collect()
    }

    /// What the browser's console says, such as violations of the security policy.
    pub(crate) fn console(&self) -> Vec<String> {
        let log = self.post("se/log", json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().filter_map(|entry| Some(entry["message"].as_str()?.to_owned())).collect()
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.call("POST", &format!("/session/{}/{path}", self.session), Some(body))
    }

    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own browser")]
    fn call(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(SCRIPT_TIMEOUT + Duration::from_secs(30))).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reply.read_line(&mut head).unwrap() > 0, "{method} {path}: no answer");
        }
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length:").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.trim().parse().unwrap()];
        reply.read_exact(&mut body).unwrap();
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        assert!(
            head.starts_with("http/1.1 200") || method == "DELETE",
            "{method} {path}: {}",
            value["value"]["message"]
        );
        value["value"].clone()
    }
}
