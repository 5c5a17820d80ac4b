//! A disk in memory that can lose its power, mounted with FUSE: real programs and SQLite use it like any
//! other, and a power cut takes away what was not synced.

mod contents;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem,
    FopenFlags, Generation, INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr,
    ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyStatfs, ReplyWrite,
    Request, TimeOrNow, WriteFlags,
};

pub(crate) use contents::Survivors;
use contents::{Content, Contents, Node};

/// Nothing but the kernel changes the files of a mounted disk.
const ATTRIBUTES_VALID_FOR: Duration = Duration::from_secs(60);

/// A disk that may be mounted, cut off and mounted again.
pub(crate) struct VolatileDisk {
    contents: Arc<Mutex<Contents>>,
    folder: tempfile::TempDir,
}

/// A mounted disk. Dropping it unmounts it.
pub(crate) struct MountedDisk {
    session: Option<BackgroundSession>,
    path: PathBuf,
}

impl VolatileDisk {
    pub(crate) fn new() -> Self {
        Self::with_unsynced_ending(None)
    }

    /// A disk that confirms every sync of files with this ending and does nothing.
    pub(crate) fn with_unsynced_ending(ending: Option<&'static str>) -> Self {
        let contents = Arc::new(Mutex::new(Contents::new(ending)));
        Self { contents, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn mount(&self) -> std::io::Result<MountedDisk> {
        let path = self.folder.path().to_owned();
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("volatile-disk".to_owned())];
        let served = ServedDisk(Arc::clone(&self.contents));
        let session = fuser::spawn_mount(served, &path, &config)?;
        Ok(MountedDisk { session: Some(session), path })
    }

    /// Must not be called while the disk is mounted: the kernel remembers what it has read.
    pub(crate) fn cut_power(&self, survivors: Survivors) {
        self.contents.lock().unwrap().cut(survivors);
    }
}

impl MountedDisk {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            if let Err(error) = unmount(&self.path)
                && !std::thread::panicking()
            {
                panic!("the disk cannot be unmounted: {error}");
            }
            // The thread that serves the disk may see the end of its connection as an error.
            let _ = session.umount_and_join();
        }
    }
}

/// A store that was dropped a moment ago closes its files in threads of its own, and the kernel lets go of
/// them a moment later.
fn unmount(path: &Path) -> rustix::io::Result<()> {
    let begun = std::time::Instant::now();
    loop {
        match rustix::mount::unmount(path, rustix::mount::UnmountFlags::empty()) {
            Err(rustix::io::Errno::BUSY) if begun.elapsed() < Duration::from_secs(20) => {
                std::thread::sleep(Duration::from_millis(5));
            }
            // Without the right to unmount, FUSE's own program does it.
            Err(rustix::io::Errno::PERM) => return Ok(()),
            done => return done,
        }
    }
}

struct ServedDisk(Arc<Mutex<Contents>>);

impl ServedDisk {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap()
    }
}

fn attributes(number: u64, node: &Node) -> FileAttr {
    let (kind, size, nlink) = match &node.content {
        Content::File(file) => (FileType::RegularFile, file.size(), 1),
        Content::Folder(_) => (FileType::Directory, 0, 2),
    };
    FileAttr {
        ino: INodeNo(number),
        size,
        blocks: size.div_ceil(512),
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind,
        perm: node.mode,
        nlink,
        // Mounting needs root, so root is who uses it.
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

fn permissions(mode: u32) -> u16 {
    (mode & 0o7777) as u16
}

/// Replies with the value, or with an error if there is none.
macro_rules! or_missing {
    ($value:expr, $reply:expr) => {
        match $value {
            Some(value) => value,
            None => return $reply.error(Errno::ENOENT),
        }
    };
}

impl Filesystem for ServedDisk {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let contents = self.contents();
        let found = contents.folder(parent.0).and_then(|folder| folder.seen.get(name)).copied();
        let number = or_missing!(found, reply);
        let node = or_missing!(contents.node(number), reply);
        reply.entry(&ATTRIBUTES_VALID_FOR, &attributes(number, node), Generation(0));
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let contents = self.contents();
        let node = or_missing!(contents.node(ino.0), reply);
        reply.attr(&ATTRIBUTES_VALID_FOR, &attributes(ino.0, node));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut contents = self.contents();
        let node = or_missing!(contents.node_mut(ino.0), reply);
        if let Some(mode) = mode {
            node.mode = permissions(mode);
        }
        if let (Some(size), Content::File(file)) = (size, &mut node.content) {
            file.set_size(size);
        }
        reply.attr(&ATTRIBUTES_VALID_FOR, &attributes(ino.0, node));
    }

    fn mkdir(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let mut contents = self.contents();
        let mode = permissions(mode & !umask);
        let number = or_missing!(contents.add(parent.0, name, mode, true), reply);
        let node = or_missing!(contents.node(number), reply);
        reply.entry(&ATTRIBUTES_VALID_FOR, &attributes(number, node), Generation(0));
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let mut contents = self.contents();
        let mode = permissions(mode & !umask);
        let number = or_missing!(contents.add(parent.0, name, mode, false), reply);
        let node = or_missing!(contents.node(number), reply);
        reply.created(
            &ATTRIBUTES_VALID_FOR,
            &attributes(number, node),
            Generation(0),
            FileHandle(0),
            FopenFlags::empty(),
        );
    }

    /// A file that is open stays readable: its content is removed only by a power cut.
    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let mut contents = self.contents();
        let folder = or_missing!(contents.folder_mut(parent.0), reply);
        or_missing!(folder.seen.remove(name), reply);
        reply.ok();
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let mut contents = self.contents();
        let number = contents.folder(parent.0).and_then(|folder| folder.seen.get(name)).copied();
        let number = or_missing!(number, reply);
        if contents.folder(number).is_some_and(|folder| !folder.seen.is_empty()) {
            return reply.error(Errno::ENOTEMPTY);
        }
        let folder = or_missing!(contents.folder_mut(parent.0), reply);
        folder.seen.remove(name);
        reply.ok();
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let mut contents = self.contents();
        if flags.contains(RenameFlags::RENAME_EXCHANGE) {
            return reply.error(Errno::EINVAL);
        }
        let target = or_missing!(contents.folder(newparent.0), reply);
        if flags.contains(RenameFlags::RENAME_NOREPLACE) && target.seen.contains_key(newname) {
            return reply.error(Errno::EEXIST);
        }
        let source = or_missing!(contents.folder_mut(parent.0), reply);
        let number = or_missing!(source.seen.remove(name), reply);
        let target = or_missing!(contents.folder_mut(newparent.0), reply);
        target.seen.insert(newname.to_owned(), number);
        reply.ok();
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let mut contents = self.contents();
        let file = or_missing!(contents.file_mut(ino.0), reply);
        reply.data(&file.read(offset, u64::from(size)));
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut contents = self.contents();
        let file = or_missing!(contents.file_mut(ino.0), reply);
        file.write(offset, data);
        reply.written(data.len() as u32);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.contents().sync(ino.0);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.contents().sync(ino.0);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let contents = self.contents();
        let folder = or_missing!(contents.folder(ino.0), reply);
        for (at, (name, number)) in (1..).zip(&folder.seen).skip(offset as usize) {
            let kind = match contents.folder(*number) {
                Some(_) => FileType::Directory,
                None => FileType::RegularFile,
            };
            if reply.add(INodeNo(*number), at, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let blocks = 1 << 24;
        reply.statfs(blocks, blocks, blocks, blocks, blocks, 4096, 255, 4096);
    }
}
