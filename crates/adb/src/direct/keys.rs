//! The RSA keys by which phones know this computer: adb's own files, made where there are none.
//!
//! Where keys lie is AOSP's `adb/client/auth.cpp`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs1::DecodeRsaPrivateKey as _;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, RsaPrivateKey};
use tokio::sync::OnceCell;

use crate::error::Error;
use crate::public_key::{self, BITS};

/// Keys that are read at most.
const MAX: usize = 32;

/// This computer's keys: its own, which phones are asked to trust, and others that they may know.
#[derive(Debug)]
pub(crate) struct Keys {
    /// In the order in which they are tried; the first is the computer's own.
    all: Vec<RsaPrivateKey>,
    /// The own public key as a phone keeps it: Base64, a space, who it is.
    public: String,
}

/// Keys that are read, and made, when a phone wants one: some phones let everybody in.
#[derive(Debug)]
pub(super) struct Ring {
    places: KeyPlaces,
    keys: OnceCell<Arc<Keys>>,
}

impl Ring {
    pub(super) fn new(places: KeyPlaces) -> Self {
        Self { places, keys: OnceCell::new() }
    }

    pub(super) async fn keys(&self) -> Result<Arc<Keys>, Error> {
        let load = || async {
            let places = self.places.clone();
            // Making a key takes a second of calculation.
            let loaded = tokio::task::spawn_blocking(move || Keys::load(&places)).await;
            loaded.unwrap_or_else(|error| Err(Error::File { message: error.to_string() })).map(Arc::new)
        };
        self.keys.get_or_try_init(load).await.map(Arc::clone)
    }
}

/// Where keys lie.
#[derive(Clone, Debug, Default)]
pub struct KeyPlaces {
    /// The folder of the own key, `adbkey`, which is made where it is not there.
    pub folder: PathBuf,
    /// Files with other keys, and folders of `*.adb_key` files.
    pub others: Vec<PathBuf>,
}

impl KeyPlaces {
    /// Returns adb's own places: `~/.android`, and what `ADB_VENDOR_KEYS` lists.
    pub fn of_adb() -> Self {
        let home = std::env::home_dir().unwrap_or_default();
        let others = std::env::var_os("ADB_VENDOR_KEYS").unwrap_or_default();
        Self { folder: home.join(".android"), others: std::env::split_paths(&others).collect() }
    }
}

impl Keys {
    /// Reads the keys, and makes this computer's own where there is none; takes a second then.
    pub(crate) fn load(places: &KeyPlaces) -> Result<Self, Error> {
        let file = places.folder.join("adbkey");
        let own = read_or_make(&file).map_err(|error| unusable(&file, &error))?;
        let public = public_line(&own);
        let mut all = vec![own];
        // A key of somebody else that cannot be read is no reason not to try the others.
        let others = places.others.iter().flat_map(|path| key_files(path));
        all.extend(others.filter_map(|file| read(&file).ok()).take(MAX));
        Ok(Self { all, public })
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Signs a phone's token by one of the keys.
    pub(crate) fn sign(&self, key: usize, token: &[u8]) -> Option<Vec<u8>> {
        self.all.get(key)?.sign(public_key::padding(), token).ok()
    }

    /// Returns the own public key as phones take it.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// Returns the fingerprint that a phone's dialog shows: `AB:CD:…`.
    pub(crate) fn fingerprint(&self) -> String {
        let key = self.public.split(' ').next().unwrap_or_default();
        public_key::fingerprint(&STANDARD.decode(key).unwrap_or_default())
    }
}

fn unusable(file: &Path, error: &io::Error) -> Error {
    Error::Key { file: file.display().to_string(), reason: error.to_string() }
}

fn read_or_make(file: &Path) -> io::Result<RsaPrivateKey> {
    match read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(file),
        read => read,
    }
}

fn read(file: &Path) -> io::Result<RsaPrivateKey> {
    let text = std::fs::read_to_string(file)?;
    let key = RsaPrivateKey::from_pkcs8_pem(&text).or_else(|_| RsaPrivateKey::from_pkcs1_pem(&text));
    match key {
        Ok(key) if key.n().bits() == BITS => Ok(key),
        Ok(key) => Err(io::Error::other(format!("a key of {} bits where phones take {BITS}", key.n().bits()))),
        Err(_) => Err(io::Error::other("no RSA key in PEM: move the file away, and a new one is made")),
    }
}

/// Makes a key pair and keeps it as adb does: the private key for its owner only, the public one beside it.
fn make(file: &Path) -> io::Result<RsaPrivateKey> {
    let key = RsaPrivateKey::new(&mut rsa::rand_core::OsRng, BITS).map_err(io::Error::other)?;
    let text = key.to_pkcs8_pem(LineEnding::LF).map_err(io::Error::other)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Written whole before it has its name, so that two programs that start at once do not read half a key.
    let draft = folder.join(format!("adbkey.{:016x}", fastrand::u64(..)));
    write_private(&draft, text.as_bytes())?;
    let placed = std::fs::hard_link(&draft, file);
    std::fs::remove_file(&draft)?;
    match placed {
        Ok(()) => std::fs::write(file.with_extension("pub"), format!("{}\n", public_line(&key))).map(|()| key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(file),
        Err(error) => Err(error),
    }
}

fn write_private(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(bytes)
}

/// Returns the key files of a path: itself, or a folder's.
fn key_files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "adb_key"));
    files.sort();
    files
}

fn public_line(key: &RsaPrivateKey) -> String {
    let name = |variable: &str, otherwise: &str| std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned());
    format!("{} {}@{}", STANDARD.encode(public_bytes(key)), name("USER", "uixt"), name("HOSTNAME", "uixt"))
}

/// Returns a public key as Android keeps it.
fn public_bytes(key: &RsaPrivateKey) -> Vec<u8> {
    let n = key.n();
    let words = u32::try_from(BITS / 32).unwrap_or_default();
    let square = (BigUint::from(1_u32) << (2 * BITS)) % n;
    let exponent = key.e().to_bytes_le();
    let mut bytes = words.to_le_bytes().to_vec();
    bytes.extend(negative_inverse(lowest_word(n)).to_le_bytes());
    bytes.extend(padded(n.to_bytes_le(), BITS / 8));
    bytes.extend(padded(square.to_bytes_le(), BITS / 8));
    bytes.extend(padded(exponent, 4));
    bytes
}

fn lowest_word(n: &BigUint) -> u32 {
    n.to_bytes_le().iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// Returns −1/word mod 2³² of an odd word, by Newton's iteration.
fn negative_inverse(word: u32) -> u32 {
    let step = |x: u32| x.wrapping_mul(2_u32.wrapping_sub(word.wrapping_mul(x)));
    (0..5).fold(1, |x, _| step(x)).wrapping_neg()
}

fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use rsa::RsaPublicKey;

    use super::*;
    use crate::public_key::TOKEN;

    fn places() -> (tempfile::TempDir, KeyPlaces) {
        let folder = tempfile::tempdir().unwrap();
        let places = KeyPlaces { folder: folder.path().join("home/.android"), others: Vec::new() };
        (folder, places)
    }

    #[test]
    fn a_key_is_made_once_and_kept_for_its_owner_only() {
        let (_folder, places) = places();
        let first = Keys::load(&places).unwrap();
        let again = Keys::load(&places).unwrap();
        assert_eq!((first.public(), &first.all), (again.public(), &again.all));
        let kept = std::fs::read_to_string(places.folder.join("adbkey.pub")).unwrap();
        assert_eq!(kept.trim_end(), first.public());
        assert_eq!(std::fs::read_dir(&places.folder).unwrap().count(), 2);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(places.folder.join("adbkey")).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let signed = first.sign(0, &[7; TOKEN]).unwrap();
        let padding = public_key::padding();
        RsaPublicKey::from(&first.all[0]).verify(padding, &[7; TOKEN], &signed).unwrap();
        // The numbers that a phone calculates with instead of dividing.
        let bytes = STANDARD.decode(first.public().split(' ').next().unwrap()).unwrap();
        assert_eq!((bytes.len(), &bytes[..4], &bytes[520..]), (524, &[64, 0, 0, 0][..], &[1, 0, 1, 0][..]));
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(word(4).wrapping_mul(word(8)), u32::MAX);
    }

    #[test]
    fn what_is_no_key_is_named_and_left_alone() {
        let (folder, mut places) = places();
        Keys::load(&places).unwrap();
        let others = folder.path().join("others");
        std::fs::create_dir(&others).unwrap();
        std::fs::write(others.join("a.adb_key"), "nonsense").unwrap();
        std::fs::copy(places.folder.join("adbkey"), others.join("b.adb_key")).unwrap();
        places.others = vec![others, folder.path().join("missing")];
        assert_eq!(Keys::load(&places).unwrap().count(), 2);
        std::fs::write(places.folder.join("adbkey"), "nonsense").unwrap();
        let error = Keys::load(&places).unwrap_err().to_string();
        assert!(error.contains("adbkey") && error.contains("no RSA key"), "{error}");
        assert_eq!(std::fs::read_to_string(places.folder.join("adbkey")).unwrap(), "nonsense");
    }
}
