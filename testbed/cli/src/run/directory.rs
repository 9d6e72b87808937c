//! A run's directory: written under a temporary name, renamed when whole.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A directory that files are written into.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The directory at this path, which is there.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// A new file in it.
    pub(crate) fn create(&self, name: &str) -> Result<BufWriter<File>, Failure> {
        let path = self.0.join(name);
        File::create(&path)
            .map(|file| BufWriter::with_capacity(1 << 16, file))
            .map_err(|error| Failure::file("create", &path, &error))
    }

    /// A new file in it with this content.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let mut file = self.create(name)?;
        file.write_all(content)
            .and_then(|()| file.flush())
            .map_err(|error| Failure::file("write", &self.0.join(name), &error))
    }

    /// A new directory in it.
    pub(crate) fn subfolder(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        fs::create_dir(&path).map_err(|error| Failure::file("create", &path, &error))?;
        Ok(path)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// A directory that is not there until [`Draft::publish`]; dropped before that, it leaves nothing.
#[derive(Debug)]
pub(crate) struct Draft {
    folder: Folder,
    place: PathBuf,
    published: bool,
}

impl Draft {
    /// Begins the directory that will stand at `place`.
    pub(crate) fn begin(place: PathBuf) -> Result<Self, Failure> {
        let name = place
            .file_name()
            .map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
        let temporary = place.with_file_name(format!(".{name}.part"));
        if temporary.exists() {
            fs::remove_dir_all(&temporary).map_err(|error| Failure::file("remove", &temporary, &error))?;
        }
        fs::create_dir_all(&temporary).map_err(|error| Failure::file("create", &temporary, &error))?;
        Ok(Self {
            folder: Folder(temporary),
            place,
            published: false,
        })
    }

    /// Where its files are for now.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Puts it in its place, over what an earlier run left there.
    pub(crate) fn publish(mut self) -> Result<(), Failure> {
        if self.place.exists() {
            fs::remove_dir_all(&self.place).map_err(|error| Failure::file("replace", &self.place, &error))?;
        }
        fs::rename(self.folder.path(), &self.place).map_err(|error| Failure::file("create", &self.place, &error))?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            // Nothing better can be done with an error here; the name with `.part` says that it is no result.
            let _ = fs::remove_dir_all(self.folder.path());
        }
    }
}
