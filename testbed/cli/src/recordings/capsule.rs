//! The files of a run in its capsule, as `windlull capsule` packs them: a zip file (APPNOTE.TXT 6.3.10, section 4.3) whose
//! members follow each other, deflated, each with its sizes in its own header. Whether the capsule is whole is not looked at
//! here: `windlull capsule verify` does that.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Take};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;

/// What stands before a member, and what before the directory behind all (sections 4.3.7 and 4.3.12).
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";

/// Octets of a member's header, without its name.
const HEADER: u64 = 30;

/// Where the files of a run are in it.
const FOLDER: &str = "run/";

/// The most that a capsule has: members, octets of one of them, and octets of a text that is read whole.
const MOST_MEMBERS: usize = 64;
const LARGEST: u64 = 1 << 30;
const LARGEST_TEXT: u64 = 64 << 20;

/// The way in which members are packed: deflated (section 4.4.5).
const DEFLATED: u16 = 8;

/// A capsule, of which nothing has been unpacked yet.
pub(super) struct Capsule {
    path: PathBuf,
    members: Vec<Member>,
}

/// A file in it.
struct Member {
    name: String,
    /// Where its octets begin.
    place: u64,
    packed: u64,
    size: u64,
}

/// A file that is unpacked while it is read.
pub(super) type Unpacked = Take<DeflateDecoder<Take<BufReader<File>>>>;

impl Capsule {
    /// The capsule at this path; `None` if the file there is something else.
    ///
    /// # Errors
    /// If it cannot be read, or is a zip file that no capsule is.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        // To look into a pipe would take its octets away.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut file = BufReader::new(File::open(path)?);
        let mut members = Vec::new();
        let mut place = 0;
        loop {
            let mut kind = [0; 4];
            match file.read_exact(&mut kind) {
                Ok(()) if kind == LOCAL => {}
                Ok(()) if kind == CENTRAL && !members.is_empty() => break,
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                _ if members.is_empty() => return Ok(None),
                _ => return Err(strange()),
            }
            let member = Member::read(&mut file, place)?;
            place = member.place + member.packed;
            file.seek(SeekFrom::Start(place))?;
            members.push(member);
            if members.len() > MOST_MEMBERS {
                return Err(strange());
            }
        }
        let path = path.to_owned();
        Ok(Some(Self { path, members }))
    }

    /// A file of the run, if the capsule has it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn file(&self, name: &str) -> io::Result<Option<Unpacked>> {
        let is_it = |member: &&Member| member.name.strip_prefix(FOLDER) == Some(name);
        let Some(member) = self.members.iter().find(is_it) else {
            return Ok(None);
        };
        let mut file = BufReader::new(File::open(&self.path)?);
        file.seek(SeekFrom::Start(member.place))?;
        Ok(Some(DeflateDecoder::new(file.take(member.packed)).take(member.size)))
    }

    /// The text of a file of the run.
    ///
    /// # Errors
    /// If there is none, or it is too large, damaged or no text.
    pub(super) fn text(&self, name: &str) -> io::Result<String> {
        let Some(mut file) = self.file(name)? else {
            return Err(io::Error::other(format!(
                "this capsule has no {FOLDER}{name}: its run was made without captures"
            )));
        };
        let size = file.limit();
        if size > LARGEST_TEXT {
            let why = format!("its {FOLDER}{name} has more than {} MiB", LARGEST_TEXT >> 20);
            return Err(io::Error::other(why));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        if (text.len() as u64) < size {
            return Err(strange());
        }
        Ok(text)
    }
}

impl Member {
    /// The member whose header goes on here, four octets behind its beginning at `place`.
    fn read(file: &mut impl Read, place: u64) -> io::Result<Self> {
        let _version: [u8; 2] = octets(file)?;
        let flags = u16::from_le_bytes(octets(file)?);
        let method = u16::from_le_bytes(octets(file)?);
        let _time_date_and_sum: [u8; 8] = octets(file)?;
        let packed = u64::from(u32::from_le_bytes(octets(file)?));
        let size = u64::from(u32::from_le_bytes(octets(file)?));
        let length = u16::from_le_bytes(octets(file)?);
        let extra = u16::from_le_bytes(octets(file)?);
        if flags != 0 || method != DEFLATED || extra != 0 || size > LARGEST {
            return Err(strange());
        }
        let mut name = vec![0; usize::from(length)];
        file.read_exact(&mut name).map_err(|_| strange())?;
        Ok(Self {
            name: String::from_utf8(name).map_err(|_| strange())?,
            place: place + HEADER + u64::from(length),
            packed,
            size,
        })
    }
}

/// The next octets of a header.
fn octets<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
    let mut octets = [0; N];
    file.read_exact(&mut octets).map_err(|_| strange())?;
    Ok(octets)
}

fn strange() -> io::Error {
    io::Error::other("it is a zip file, but no capsule as Windlull writes it; `windlull capsule verify` says why")
}
