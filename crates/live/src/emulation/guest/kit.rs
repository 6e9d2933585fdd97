//! What a guest is made of: a kernel with its modules, and tools. Debian's packages, fetched by apt into a folder of the user's with lists and a
//! cache of its own, so that nothing of the host's changes; set up once.

use super::GuestError;
use super::cpio::Archive;
use petrio_files::temporary::TemporaryFolder;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What the guest has beside a shell.
const TOOLS: [&str; 5] = ["busybox-static", "mdadm", "e2fsprogs", "xfsprogs", "util-linux"];

/// Packages that these do without, and that are large.
const LEFT_OUT_PACKAGES: [&str; 3] = ["libicu", "libperl", "libpython"];

/// Folders that they do without.
const LEFT_OUT_FOLDERS: [&str; 7] = ["share", "include", "gconv", "modules", "systemd", "firmware", "udev"];

/// The files of a kit.
const TOOLS_FILE: &str = "tools.cpio";

/// A kit that is set up.
#[derive(Clone, Debug)]
pub struct Kit {
    folder: PathBuf,
    kernel: PathBuf,
}

impl Kit {
    /// Where it lies unless somebody says otherwise: `$XDG_CACHE_HOME/petrio/kernel`.
    pub fn usual_folder() -> Option<PathBuf> {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("petrio").join("kernel"))
    }

    /// The kit in a folder.
    ///
    /// # Errors
    /// It isn't set up.
    pub fn at(folder: &Path) -> Result<Self, GuestError> {
        let missing = |missing| GuestError::NoKit { folder: folder.to_owned(), missing };
        let boot = fs::read_dir(folder.join("kernel/boot")).map_err(|_| missing("kernel"))?;
        let images = boot.flatten().map(|entry| entry.path());
        let kernel = images
            .filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"vmlinuz-")))
            .max()
            .ok_or_else(|| missing("kernel"))?;
        for (file, what) in [(TOOLS_FILE, "tools"), ("kernel/modules/modules.dep", "modules of the kernel")] {
            if !folder.join(file).is_file() {
                return Err(missing(what));
            }
        }
        Ok(Self { folder: folder.to_owned(), kernel })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Path {
        &self.kernel
    }

    pub(super) fn modules(&self) -> PathBuf {
        self.folder.join("kernel/modules")
    }

    pub(super) fn tools(&self) -> PathBuf {
        self.folder.join(TOOLS_FILE)
    }

    /// Fetches and unpacks everything into a folder, in the place of what was there. Some 70 MB are fetched, and 450 MB lie there then.
    ///
    /// # Errors
    /// No apt, no network, no room.
    pub fn set_up(folder: &Path) -> Result<Self, GuestError> {
        for (program, package) in [("apt-get", "apt"), ("apt-cache", "apt"), ("dpkg-deb", "dpkg")] {
            if !crate::rig::program::is_installed(program) {
                return Err(GuestError::Missing { program, package });
            }
        }
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(above).map_err(GuestError::system("make the folder", above))?;
        // Beside it, so that it gets its name when it is complete.
        let work = TemporaryFolder::new_in(above).map_err(GuestError::system("make a folder in", above))?;
        let apt = Apt::below(work.path())?;
        apt.run("apt-get", &["-q", "update"])?;
        let image = apt
            .needs(&["linux-image-amd64".to_owned()])?
            .into_iter()
            .find(|name| name.starts_with("linux-image"))
            .ok_or_else(|| apt.failed("apt-cache", "depends linux-image-amd64", "it names no kernel"))?;
        let (kit, tools) = (work.path().join("kit"), work.path().join("tools"));
        apt.unpack(&BTreeSet::from([image]), &kit.join("kernel"))?;
        let wanted = apt.with_libraries(&TOOLS.map(str::to_owned))?;
        apt.unpack(&wanted, &tools)?;
        let busybox = find(&tools, &|path| path.ends_with("bin/busybox"))
            .ok_or_else(|| apt.failed("dpkg-deb", "-x busybox-static", "it has no busybox"))?;
        arrange_modules(&kit.join("kernel"), &busybox, &apt)?;
        let packed = kit.join(TOOLS_FILE);
        pack(&tools, &packed).map_err(GuestError::system("write", &packed))?;
        Self::at(&kit)?;
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(GuestError::system("replace", folder))?;
        }
        fs::rename(&kit, folder).map_err(GuestError::system("name", folder))?;
        Self::at(folder)
    }
}

/// Where depmod looks, and what it finds.
fn arrange_modules(kernel: &Path, busybox: &Path, apt: &Apt) -> Result<(), GuestError> {
    let modules = find(kernel, &|path| {
        path.parent().is_some_and(|above| above.ends_with("lib/modules")) && path.is_dir()
    });
    let found = modules.ok_or_else(|| apt.failed("dpkg-deb", "-x linux-image", "it has no modules"))?;
    let version = found.file_name().unwrap_or_default().to_owned();
    let moved = kernel.join("modules");
    fs::rename(&found, &moved).map_err(GuestError::system("move", &found))?;
    let where_sought = kernel.join("lib/modules");
    fs::create_dir_all(&where_sought).map_err(GuestError::system("make the folder", &where_sought))?;
    let link = where_sought.join(&version);
    std::os::unix::fs::symlink("../../modules", &link).map_err(GuestError::system("link", &link))?;
    let arguments = ["depmod".into(), "-b".into(), kernel.as_os_str().to_owned(), version];
    apt.program(busybox, &arguments, None).map(drop)
}

/// The first path below a folder that is wanted.
fn find(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().find(|path| wanted(path)).cloned().or_else(|| {
        let folders = paths.iter().filter(|path| path.is_dir() && !path.is_symlink());
        folders.filter_map(|folder| find(folder, wanted)).next()
    })
}

/// Packs the tools, `usr/` folded into the root.
fn pack(root: &Path, to: &Path) -> std::io::Result<()> {
    let mut archive = Archive::new(BufWriter::new(File::create(to)?));
    archive.link("usr", b".")?;
    let mut seen = BTreeSet::from(["usr".to_owned()]);
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default();
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let inside = inside.strip_prefix("usr/").unwrap_or(&inside).to_owned();
            let kind = path.symlink_metadata()?;
            if kind.is_dir() {
                if LEFT_OUT_FOLDERS.iter().any(|left_out| name == OsStr::new(left_out)) {
                    continue;
                }
                folders.push(path);
                if seen.insert(inside.clone()) {
                    archive.directory(&inside)?;
                }
            } else if !seen.insert(inside.clone()) {
                // Of two of one name the first stays.
            } else if kind.is_symlink() {
                archive.link(&inside, fs::read_link(&path)?.as_os_str().as_bytes())?;
            } else if kind.is_file() {
                archive.file(&inside, kind.permissions().mode(), &fs::read(&path)?)?;
            }
        }
    }
    archive.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
}

/// apt with lists and a cache of its own.
struct Apt {
    own: PathBuf,
}

impl Apt {
    fn below(folder: &Path) -> Result<Self, GuestError> {
        for inside in ["lists/partial", "cache/archives/partial", "packages"] {
            let path = folder.join(inside);
            fs::create_dir_all(&path).map_err(GuestError::system("make the folder", &path))?;
        }
        Ok(Self { own: folder.to_owned() })
    }

    fn failed(&self, program: &str, arguments: &str, message: &str) -> GuestError {
        let [program, arguments, message] = [program, arguments, message].map(str::to_owned);
        GuestError::Program { program, arguments, message }
    }

    fn program(
        &self,
        program: &Path,
        arguments: &[OsString],
        folder: Option<&Path>,
    ) -> Result<String, GuestError> {
        let mut command = petrio_capture::launch::command(program, petrio_capture::launch::Signal::KILL);
        command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let output = command.output().map_err(GuestError::system("start", program))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let arguments: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(self.failed(&program.to_string_lossy(), &arguments.join(" "), &message))
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<String, GuestError> {
        let option = |name: &str, folder: &str| {
            let mut option = OsString::from(format!("-oDir::{name}="));
            option.push(self.own.join(folder));
            option
        };
        let mut arguments = vec![option("State::Lists", "lists"), option("Cache", "cache")];
        arguments.push("-oAPT::Sandbox::User=".into());
        arguments.extend(words.iter().map(OsString::from));
        self.program(Path::new(program), &arguments, Some(&self.own.join("packages")))
    }

    /// What packages depend on.
    fn needs(&self, names: &[String]) -> Result<Vec<String>, GuestError> {
        let none = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
            .map(|kind| format!("--no-{kind}"));
        let mut words = vec!["depends"];
        words.extend(none.iter().map(String::as_str));
        words.extend(names.iter().map(String::as_str));
        let told = self.run("apt-cache", &words)?;
        let needed =
            told.lines().filter_map(|line| line.trim().trim_start_matches('|').split_once("epends: "));
        Ok(needed.map(|(_, name)| name.trim().split(':').next().unwrap_or_default().to_owned()).collect())
    }

    /// Packages, and the libraries that they depend on.
    fn with_libraries(&self, names: &[String]) -> Result<BTreeSet<String>, GuestError> {
        let mut wanted = BTreeSet::new();
        let mut next: Vec<String> = names.to_vec();
        while !next.is_empty() {
            wanted.extend(next.iter().cloned());
            let is_library = |name: &String| {
                name.starts_with("lib") && !LEFT_OUT_PACKAGES.iter().any(|out| name.starts_with(out))
            };
            let found: BTreeSet<String> = self.needs(&next)?.into_iter().filter(is_library).collect();
            next = found.difference(&wanted).cloned().collect();
        }
        Ok(wanted)
    }

    /// Fetches packages and unpacks them into a folder.
    fn unpack(&self, names: &BTreeSet<String>, into: &Path) -> Result<(), GuestError> {
        let folder = self.own.join("packages");
        let mut words = vec!["-q", "download"];
        words.extend(names.iter().map(String::as_str));
        self.run("apt-get", &words)?;
        let packages = fs::read_dir(&folder).map_err(GuestError::system("list", &folder))?;
        let mut packages: Vec<PathBuf> = packages.flatten().map(|entry| entry.path()).collect();
        packages.sort();
        fs::create_dir_all(into).map_err(GuestError::system("make the folder", into))?;
        for package in packages {
            let arguments = ["-x".into(), package.clone().into_os_string(), into.as_os_str().to_owned()];
            self.program(Path::new("dpkg-deb"), &arguments, None)?;
            fs::remove_file(&package).map_err(GuestError::system("remove", &package))?;
        }
        Ok(())
    }
}
