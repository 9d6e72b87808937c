//! The files of the machine, of which those of recorded runs say more than their text: what packets carried stands in the
//! captures beside `fates.csv`, and all of a run's files may be in its capsule.

mod capsule;

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use windlull_analysis::{OctetsError, fates_with_octets};
use windlull_experiment::{Columns, Disk, Files};
use windlull_fates::says_octets;

use crate::recordings::capsule::Capsule;
use crate::run::record::{CLIENT, FATES, SERVER};

/// The files of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunDisk;

impl Files for RunDisk {
    fn read(&self, path: &Path) -> io::Result<String> {
        Disk.read(path)
    }

    fn read_fates(&self, path: &Path, columns: Columns) -> io::Result<String> {
        let run = match Capsule::open(path)? {
            Some(capsule) => Recorded::Packed(capsule),
            None => Recorded::Beside(path.to_owned()),
        };
        let text = run.fates()?;
        if columns == Columns::Fates || says_octets(&text) {
            return Ok(text);
        }
        let (mut server, mut client) = (run.capture(SERVER)?, run.capture(CLIENT)?);
        let told = fates_with_octets(&mut text.as_bytes(), &mut server, &mut client);
        match told {
            Ok(text) => Ok(text),
            // Who asked reads the same rows, and says where they are wrong.
            Err(OctetsError::Fates(_)) => Ok(text),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(folder)
    }

    fn is_file(&self, path: &Path) -> bool {
        Disk.is_file(path)
    }

    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolved(path)
    }

    fn is_ordinary(&self, path: &Path) -> bool {
        Disk.is_ordinary(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        Disk.is_folder(path)
    }
}

/// A recorded run.
enum Recorded {
    /// Its `fates.csv`, with its other files beside it.
    Beside(PathBuf),
    Packed(Capsule),
}

impl Recorded {
    fn fates(&self) -> io::Result<String> {
        match self {
            Self::Beside(fates) => Disk.read(fates),
            Self::Packed(capsule) => capsule.text(FATES),
        }
    }

    fn capture(&self, name: &str) -> io::Result<Box<dyn Read>> {
        let missing = |place: &str| {
            io::Error::other(format!(
                "`by = \"octets\"` needs the run's {SERVER} and {CLIENT}, and there is no {name} {place}; record it \
                 without --no-pcap, or replay it by packet or by time"
            ))
        };
        match self {
            Self::Beside(fates) => {
                let path = fates.with_file_name(name);
                // A pipe may never end.
                if !fs::metadata(&path).is_ok_and(|found| found.is_file()) {
                    return Err(missing("beside it"));
                }
                Ok(Box::new(BufReader::new(File::open(&path)?)))
            }
            Self::Packed(capsule) => match capsule.file(name)? {
                Some(file) => Ok(Box::new(file)),
                None => Err(missing("in it")),
            },
        }
    }
}
