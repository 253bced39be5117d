"""Computes the contents of a disk after a power cut from the system calls of a process.

A file's bytes are durable once the file is synced, and a name once its folder is synced. Of later changes a cut keeps a
part: the first few changes of each folder, and the first few writes of each file with a piece of the next. A cut that keeps
nothing is the strictest.
"""
import re
import shutil
from pathlib import Path

CALLS = "openat,write,fsync,fdatasync,rename,unlink,mkdir,ftruncate,close,lseek"
LINE = re.compile(r"^(\d+) (\w+)\((.*)\) += (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class File:
    def __init__(self, data=b""):
        self.data, self.safe, self.later = bytearray(data), bytes(data), []

    def change(self, change):
        self.later.append(change)
        apply(self.data, change)

    def sync(self):
        self.safe, self.later = bytes(self.data), []

    def after_cut(self, keep):
        data, count = bytearray(self.safe), keep(len(self.later))
        for change in self.later[:count]:
            apply(data, change)
        if count < len(self.later) and self.later[count][0] == "write":
            _, place, written = self.later[count]
            apply(data, ("write", place, written[: keep(len(written))]))
        return bytes(data)


def apply(data, change):
    if change[0] == "write":
        _, place, written = change
        data.extend(bytes(max(0, place - len(data))))
        data[place : place + len(written)] = written
    else:
        del data[change[1] :]
        data.extend(bytes(change[1] - len(data)))


class Folder:
    def __init__(self):
        self.names, self.safe, self.later = {}, {}, []

    def change(self, **names):
        """Names that are given a file, a folder, or None."""
        self.later.append(names)
        update(self.names, names)

    def sync(self):
        self.safe, self.later = dict(self.names), []

    def after_cut(self, keep):
        names = dict(self.safe)
        for change in self.later[: keep(len(self.later))]:
            update(names, change)
        return names


def update(names, change):
    for name, value in change.items():
        names.pop(name, None)
        if value is not None:
            names[name] = value


class Disk:
    """The folder `root` and what is below it; all that is there now is safe."""

    def __init__(self, root):
        self.root, self.top, self.open = Path(root), Folder(), {}
        if self.root.exists():
            self.top.names[self.root.name] = self.load(self.root)
            self.top.sync()

    def load(self, path):
        if path.is_file():
            return File(path.read_bytes())
        folder = Folder()
        folder.names = {entry.name: self.load(entry) for entry in path.iterdir()}
        folder.sync()
        return folder

    def find(self, path):
        """The folder that a path is in, and its name there; none if it lies elsewhere."""
        path = Path(path)
        if path != self.root and self.root not in path.parents:
            return (None, None) if path != self.root.parent else (Folder(), "")
        folder = self.top
        for part in path.relative_to(self.root.parent).parts[:-1]:
            folder = folder.names.get(part) if isinstance(folder, Folder) else None
        return folder, path.name

    def play(self, call, text, numbers, result):
        handler = getattr(self, "on_" + call, None)
        if handler:
            handler(text, numbers, result)

    def on_openat(self, text, numbers, result):
        if Path(text[0]) == self.root.parent:
            self.open[result] = [self.top, 0, False]
            return
        folder, name = self.find(text[0])
        if folder is None:
            self.open.pop(result, None)
            return
        if name not in folder.names:
            folder.change(**{name: File()})
        self.open[result] = [folder.names[name], 0, "O_APPEND" in numbers]
        if "O_TRUNC" in numbers:
            folder.names[name].change(("cut", 0))

    def on_close(self, _text, numbers, _result):
        self.open.pop(int(numbers), None)

    def on_lseek(self, _text, numbers, result):
        if int(numbers.split(",")[0]) in self.open:
            self.open[int(numbers.split(",")[0])][1] = result

    def on_write(self, text, numbers, result):
        entry = self.open.get(int(numbers.split(",")[0]))
        if entry and isinstance(entry[0], File):
            file, place, appends = entry
            place = len(file.data) if appends else place
            file.change(("write", place, text[0][:result]))
            entry[1] = place + result

    def on_ftruncate(self, _text, numbers, _result):
        number, length = (int(part) for part in numbers.split(","))
        if number in self.open:
            self.open[number][0].change(("cut", length))

    def on_fsync(self, _text, numbers, _result):
        if int(numbers) in self.open:
            self.open[int(numbers)][0].sync()

    on_fdatasync = on_fsync

    def on_mkdir(self, text, _numbers, _result):
        folder, name = self.find(text[0])
        if folder is not None:
            folder.change(**{name: Folder()})

    def on_unlink(self, text, _numbers, _result):
        folder, name = self.find(text[0])
        if folder is not None:
            folder.change(**{name: None})

    def on_rename(self, text, _numbers, _result):
        (source, old), (target, new) = self.find(text[0]), self.find(text[1])
        if source is not None:
            assert source is target, "files are renamed within their folder"
            source.change(**{old: None, new: source.names[old]})

    def write_after_cut(self, keep):
        """Makes the folder what it is after a cut; `keep(n)` says how many of n changes were kept."""
        shutil.rmtree(self.root, ignore_errors=True)
        for name, value in self.top.after_cut(keep).items():
            put(self.root.parent / name, value, keep)


def put(path, value, keep):
    if isinstance(value, File):
        path.write_bytes(value.after_cut(keep))
        return
    path.mkdir()
    for name, inner in value.after_cut(keep).items():
        put(path / name, inner, keep)


def calls(trace):
    """Returns the successful calls in a trace of `strace -f -xx -s …` in the order in which they ended."""
    begun = {}
    for line in trace.splitlines():
        process, _, rest = line.partition(" ")
        if rest.endswith("<unfinished ...>"):
            begun[process] = rest.removesuffix("<unfinished ...>").rstrip()
            continue
        if rest.lstrip().startswith("<... "):
            rest = begun.pop(process, "") + rest.partition("resumed>")[2]
        found = LINE.match(f"{process} {rest.lstrip()}")
        if not found or found[4].startswith("-"):
            continue
        name, inside, result = found[2], found[3], int(found[4])
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in TEXT.findall(inside)]
        numbers = TEXT.sub("", inside)
        if name not in ("write",):
            texts = [text.decode() for text in texts]
        numbers = numbers.replace(", , ", ", ")
        yield name, texts, numbers, result
