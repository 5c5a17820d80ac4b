//! What the registry knows about a domain.

/// A registration that the registry describes in a complete document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabRegistration {
    pub registrar: String,
    pub registrar_iana_id: Option<String>,
    /// `YYYY-MM-DDTHH:MM:SSZ`, like the other dates.
    pub created: String,
    pub expires: String,
    pub changed: String,
    pub nameservers: Vec<String>,
    pub signed: bool,
    /// In the words of RDAP.
    pub status: Vec<String>,
    /// Further events: action and date.
    pub events: Vec<(String, String)>,
}

/// Names of registrars that do not exist, with ids from the range that IANA keeps for such uses.
const REGISTRARS: [(&str, &str); 4] = [
    ("Plain Names Ltd.", "9994"),
    ("Lantern Domains GmbH", "9995"),
    ("Harbour Registrations Inc.", "9996"),
    ("Mill Lane Hosting", "9997"),
];

impl LabRegistration {
    /// A plausible registration, always the same for a name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let number = name.bytes().fold(7_usize, |sum, byte| sum * 31 % 9_973 + usize::from(byte));
        let (registrar, id) =
            REGISTRARS.get(number % REGISTRARS.len()).copied().unwrap_or_default();
        let (year, month, day) = (2_008 + number % 14, 1 + number % 12, 1 + number % 28);
        let date = |year: usize| format!("{year}-{month:02}-{day:02}T09:{:02}:00Z", number % 60);
        Self {
            registrar: registrar.to_owned(),
            registrar_iana_id: Some(id.to_owned()),
            created: date(year),
            expires: date(2_031),
            changed: date(2_025),
            nameservers: vec!["ns1.dns.lab".to_owned(), "ns2.dns.lab".to_owned()],
            signed: number.is_multiple_of(3),
            status: vec!["client transfer prohibited".to_owned()],
            events: Vec::new(),
        }
    }
}
