//! A run's directory: written under a temporary name, renamed when whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use windlull_record::{CountedFile, Nameless, Quota};

use crate::failure::Failure;
use crate::run::limits::Limits;

/// A directory that files are written into, which together have a limit.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    quota: Quota,
}

impl Folder {
    /// The directory at this path, which is there.
    pub(crate) fn at(path: PathBuf, limits: Limits) -> Self {
        let quota = Quota::of(limits.disk_bytes);
        Self { path, quota }
    }

    pub(crate) fn create(&self, name: &str) -> Result<BufWriter<CountedFile>, Failure> {
        let path = self.path.join(name);
        File::create(&path)
            .map(|file| BufWriter::with_capacity(1 << 16, self.quota.counting(file)))
            .map_err(|error| Failure::file("create", &path, &error))
    }

    /// A new file in it with this content.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let mut file = self.create(name)?;
        file.write_all(content)
            .and_then(|()| file.flush())
            .map_err(|error| Failure::file("write", &self.path.join(name), &error))
    }

    /// A file in it that has no name: it is gone when it is closed, however this process ends.
    pub(crate) fn nameless(&self) -> io::Result<Nameless> {
        let path = self.path.join(".rows");
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(self.quota.counting(file).nameless())
    }

    /// A new directory in it.
    pub(crate) fn subfolder(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        fs::create_dir(&path).map_err(|error| Failure::file("create", &path, &error))?;
        Ok(path)
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        let path = self.path.join(name);
        fs::remove_file(&path).map_err(|error| Failure::file("remove", &path, &error))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
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
    pub(crate) fn begin(place: PathBuf, limits: Limits) -> Result<Self, Failure> {
        let name = place
            .file_name()
            .map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
        let temporary = place.with_file_name(format!(".{name}.part"));
        if temporary.exists() {
            fs::remove_dir_all(&temporary).map_err(|error| Failure::file("remove", &temporary, &error))?;
        }
        fs::create_dir_all(&temporary).map_err(|error| Failure::file("create", &temporary, &error))?;
        Ok(Self {
            folder: Folder::at(temporary, limits),
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
