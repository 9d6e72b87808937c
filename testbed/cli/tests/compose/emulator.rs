//! The least that an emulator's process is: two devices that it lends.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use windlull_live::orders::{Build, serve_link};
use windlull_plane::lend::{Ended, LendError, Lender, Loan};
use windlull_plane::model::{PlaneError, Port};
use windlull_plane::netem::Devices;

/// How this program is called to be one.
pub(crate) const CALL: &str = "--emulate-at";

pub(crate) fn command(socket: &Path, version: &str, commit: &str) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CALL).arg(socket).args([version, commit]);
    Ok(command)
}

/// Lends the devices until it is killed.
pub(crate) fn emulate(mut arguments: impl Iterator<Item = String>) {
    let mut next = || arguments.next().expect("socket, version and commit are given");
    let (socket, version, commit) = (PathBuf::from(next()), next().leak(), next().leak());
    let serving = serve_link(&socket, Build { version, commit }, Arc::new(Keeper::default())).expect("it can attend");
    while serving.is_alive() {
        std::thread::park();
    }
}

/// Keeps two devices on which nothing stands.
#[derive(Debug, Default)]
struct Keeper {
    lent: Arc<Mutex<Option<String>>>,
}

struct Lent {
    devices: Devices,
    lent: Arc<Mutex<Option<String>>>,
}

impl Lender for Keeper {
    fn lend(&self, run: &str) -> Result<Box<dyn Loan>, LendError> {
        let mut lent = self.lent.lock().expect("nobody panics with it");
        if let Some(run) = &*lent {
            return Err(LendError::Lent { run: run.clone() });
        }
        *lent = Some(run.to_owned());
        Ok(Box::new(Lent {
            devices: Devices {
                to_server: "eth0".to_owned(),
                to_client: "eth1".to_owned(),
            },
            lent: Arc::clone(&self.lent),
        }))
    }
}

impl Loan for Lent {
    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn ports(&self) -> Result<[Port; 2], PlaneError> {
        Ok([
            Port::open(&self.devices.to_server)?,
            Port::open(&self.devices.to_client)?,
        ])
    }

    fn give_back(self: Box<Self>, _: Ended) {}
}

impl Drop for Lent {
    fn drop(&mut self) {
        *self.lent.lock().expect("nobody panics with it") = None;
    }
}
