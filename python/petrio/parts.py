"""Builders for every part of a scenario, with completion and documentation in an editor.

::

    from petrio import parts, run
    run(parts.Scenario(
        disk={"d": parts.Disk(model="seagate-cheetah-9lp", count=2)},
        workload={"w": parts.SyntheticWorkload(on="d*", requests=1000, generators=[...])},
    ))

What is left out has the scenario's default. Keys of Python's own get an underscore (``with_``). Quantities are texts with their unit
(``"64 KiB"``) or :mod:`petrio.units`. Nothing is checked here: whoever uses a scenario is told what is wrong with it, and where.

Made from the schema by scripts/python_parts.py: change the schema.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal


class Part:
    """What all builders have in common."""

    #: What a field is called in a scenario, where Python has no such name.
    _keys: ClassVar[dict[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """What was given, by the scenario's keys."""
        given = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return {self._keys.get(name, name): value for name, value in given if value is not None}


__all__ = [
    "AccessesWorkload", "Adapter", "AdapterParameters", "AdaptivePolicyParameters", "AgedSptfQueueDiscipline", "AnticipatoryTable2",
    "Apart", "ArbitrationParameters", "Beegfs", "BeegfsCosts", "BfqTable2", "BitmapParameters", "Box", "BtIoParallelProgram",
    "CLookQueueDiscipline", "Ceph", "CephNodes", "CfqTable2", "Change", "CheckpointParallelProgram", "ColumnUnits", "Concat",
    "ControllerParameters", "Cost", "Costs", "CounterParameters", "CscanQueueDiscipline", "CumulativeTable", "CumulativeTable2",
    "CumulativeTable3", "CumulativeTable4", "CutBackPolicyParameters", "CutBackRandomPolicyParameters", "DarshanParallelProgram",
    "DatatypeParameters", "DatedPrice", "DeadlineTable2", "DensityTable", "DensityTable2", "DensityTable3", "DensityTable4",
    "DeviceAccessLoad", "DeviceAccessesWorkload", "Disk", "DragonflyTable", "DrawFamily", "DrawFamily2", "DrawFamily3", "DrawFamily4",
    "DrawOfBlocks", "DrawOfBytes", "DrawOfDuration", "DrawOfSignedBlocks", "Durability", "EmpiricalSample", "EmpiricalSample2",
    "EmpiricalSample3", "EmpiricalSample4", "Erasure", "ErlangStage", "ErlangStage2", "ErlangStage3", "ErlangStage4", "EventsWorkload",
    "ExponentialStage", "ExponentialStage2", "ExponentialStage3", "ExponentialStage4", "Fabric", "FabricParameters", "FailureOfOne",
    "FatTreeTable", "FcfsQueueDiscipline", "FileLoad", "FileLoad2", "FileLoad3", "FileLoad4", "FileLoad5", "FileLoad6", "FileLoad7",
    "FileLoad8", "FileSystem", "FileSystemParameters", "FileTraceWorkload", "FilesWorkload", "FioWorkload", "FlowShare",
    "FramingParameters", "GammaStage", "GammaStage2", "GammaStage3", "GammaStage4", "GammaStages", "GammaStages2", "GammaStages3",
    "GammaStages4", "Generator", "Hints", "Host", "HostCostsParameters", "HubTable", "InstanceLimits", "Io500ParallelProgram",
    "IoScheduler", "IorParallelProgram", "Journal", "JournalParameters", "KyberTable2", "LaneWeight", "LatencyTarget", "LayoutComponent",
    "LimitOn", "LinkParameters", "LinkParameters2", "LinksTable", "Locks", "LookQueueDiscipline", "Lustre", "LustreCosts", "MasterProtocol",
    "MdtestParallelProgram", "Measure", "MemberFailure", "MeshTable", "MessageParameters", "Messages", "MixturePart", "MixturePart2",
    "MixturePart3", "MixturePart4", "Mpi", "MpiIoParallelProgram", "MqDeadlineTable2", "Multipath", "NamedColumns", "Network",
    "NetworkCost", "Nfs", "NfsCosts", "NoopTable2", "OsdStop", "Pace", "ParallelProgram", "ParallelWorkload", "Partition", "PathFailure",
    "PathParameters", "PlaceSequence", "Placement", "PolicyParameters", "Popularity", "PowerDraw", "Price", "ProcessMemory", "Protocol",
    "Pvfs", "PvfsCosts", "PvfsRetries", "QueueCost", "QueueDiscipline", "Raid", "RaidCacheParameters", "RawParameters",
    "ReadOneWriteAllPolicyParameters", "Rearrangement", "RebuildParameters", "RecordingWorkload", "Recovery", "Rent", "Replication", "San",
    "ScatterCutBackPolicyParameters", "ScatterPolicyParameters", "Scenario", "Scheduler", "ScriptWorkload", "ScsiParameters",
    "SeisParallelProgram", "ServerFailure", "ServiceLevels", "Share", "ShareCosts", "SharePlacement", "SharedMemory", "SizeRange",
    "SizeRent", "SizeShare", "Sizes", "SptfQueueDiscipline", "SstfQueueDiscipline", "StarTable", "SteadyState", "StepFile",
    "StepParameters", "StepsParallelProgram", "Stop", "StorageNodes", "Store", "StreamParallelProgram", "Strides", "StripeCacheParameters",
    "Submitting", "SyntheticLoad", "SyntheticWorkload", "Table", "Table2", "TcpParameters", "Throttle", "TmpfsParameters", "Topology",
    "TorusTable", "TraceWorkload", "Traffic", "TrainingParallelProgram", "TransactionProtocol", "TreeTable", "UnixHost", "UsersWorkload",
    "VotingProtocol", "WindowParameters", "Workload", "WriteAllProtocol", "XfsParameters", "Zone", "ZoneLog",
]


@dataclass(kw_only=True)
class AccessesWorkload(Part):
    """Processes that read and write files as fio's jobs do, several accesses in flight."""

    kind: Literal["accesses"] = "accesses"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    accesses: int | None = None
    """Accesses of each process in all; left out, no limit."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    alignment: str | None = None
    """Random accesses begin at multiples of this; left out, of the smallest record."""

    amount: str | None = None
    """Bytes that each process accesses in a pass; left out, its areas once."""

    any_size: bool | None = None
    """Whether drawn sizes need not be multiples of the smallest."""

    area: str | float | None = None
    """How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes where it rests: it keeps a processor busy."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache."""

    duration: str | None = None
    """For how long each process issues accesses at most."""

    engine: Literal["waits", "native-aio", "io-uring", "posix-aio"] | None = None
    """How they are asked for. One that waits for each has one in flight, whatever `in_flight` says."""

    fdatasync_every: int | None = None
    """After how many writes an fdatasync does."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it."""

    file_turn: int | None = None
    """Accesses to a file before the next has its turn."""

    files: int | None = None
    """Files of each process. Of disks, each process has all that the workload is on."""

    flow: FlowShare | dict[str, Any] | None = None
    """Its share beside other jobs: who is ahead waits for the others."""

    fsync_at_end: bool | None = None
    """Whether each file is made durable when all is done."""

    fsync_every: int | None = None
    """After how many writes an fsync makes them durable; 0, none."""

    in_flight: int | None = None
    """Accesses that a process may have in flight."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    job_number: int | None = None
    """With `seed`: the number of the first process among all of a job file, from 1."""

    keep_on: bool | None = None
    """Whether it begins anew where all is done, until `duration` or the run is over."""

    latency_target: LatencyTarget | dict[str, Any] | None = None
    """How long accesses may take: as many are in flight as that allows, and `in_flight` at most."""

    mapped: bool | None = None
    """By loads and stores in a mapping of the file."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    new_files: bool | None = None
    """Whether the files are new: empty, without blocks. Otherwise they are there as large as they become."""

    offset: str | float | None = None
    """Where in each file that begins."""

    offset_step: str | float | None = None
    """So much further in for each process after the first."""

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    operation: Literal["read", "write", "mixed", "create", "stat", "remove", "make-directory", "stat-directory", "remove-directory"] | None = None
    """What is done."""

    order: Literal["sequential", "random"] | None = None
    """In which order."""

    pace: Pace | dict[str, Any] | None = None
    """How fast reads are issued at most; without `write_pace`, writes too."""

    passes: int | None = None
    """How often it is all done."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others. They may come again."""

    processes: int | None = None
    """Processes."""

    random_share: str | float | None = None
    """How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    reads_back: bool | None = None
    """Whether what was written in a pass is read back after it."""

    record: Sizes | dict[str, Any] | None = None
    """Bytes of an access: a size, a range, or sizes with their shares."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come."""

    run: int | None = None
    """Accesses in a row from each random place on."""

    same_passes: bool | None = None
    """With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`)."""

    seed: int | None = None
    """fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's seed."""

    sequence: PlaceSequence | dict[str, Any] | None = None
    """Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`)."""

    shared_files: bool | None = None
    """Whether all processes work on the same files. Of disks they do."""

    skip: str | None = None
    """From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards."""

    starts_after: str | None = None
    """How long each process waits before its first access."""

    strides: Strides | dict[str, Any] | None = None
    """Areas that are gone through one after the other."""

    submitting: Submitting | dict[str, Any] | None = None
    """When and how many are waited for."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    waited for a flush follows.
    """

    think_after: str | None = None
    """How long after it has rested it rests again, whatever the number of accesses."""

    think_by_issue: bool | None = None
    """Whether that is of accesses that are submitted."""

    think_every: int | None = None
    """After how many accesses that are done and taken back each time; 0, whatever their number."""

    think_time: str | None = None
    """How long it rests, with nothing in flight."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    truncates: bool | None = None
    """Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`)."""

    until_steady: SteadyState | dict[str, Any] | None = None
    """It ends when this is steady."""

    warm_up: str | None = None
    """For how long at its beginning accesses don't count; `duration` comes after it."""

    write_pace: Pace | dict[str, Any] | None = None
    """How fast writes are issued at most."""

    write_record: Sizes | dict[str, Any] | None = None
    """Those of a write, where they are others."""

    zones: ZoneLog | dict[str, Any] | None = None
    """Zones that are written from their beginning only."""


@dataclass(kw_only=True)
class Adapter(Part):
    """A host bus adapter (an IDE controller, a SCSI or Fibre Channel adapter). Disks that name it as their `bus` are dealt out to its
    channels in turn; those on one channel share it: one at a time gets a command, gives data or reports.
    """

    channels: int | None = None
    """Channels."""

    cost: Cost | dict[str, Any] | None = None
    """What one costs, and what it draws; of an instance of a cloud its rent, which pays for its machine, too."""

    disks: int | None = None
    """Disks on a channel at most; left out, any number."""

    keeps_channel: bool | None = None
    """Whether a disk has its channel from the beginning of a command until that is complete (ATA); if not, it lets go of it while its arm
    moves and its platters turn, unless it never does.
    """

    limits: InstanceLimits | dict[str, Any] | None = None
    """What an instance of a cloud may ask of all volumes that hang on it, where it is one."""

    name: str | None = None
    """What it is called."""

    queue_depth: int | None = None
    """Commands that a disk gets at a time at most; left out, as many as it takes."""

    rate: str | None = None
    """Bytes that pass a channel in a second at most; left out, as many as a disk can give or take."""

    source: str | None = None
    """Where its figures come from."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class AdapterParameters(Part):
    """What adapters do between memory and wire, which takes time but no processor's: what is sent is fetched over a bus, and what is
    received is stored over it, frame by frame while others pass the wire.
    """

    atomic: str | None = None
    """An atomic operation on the host's memory (fetch and add, compare and swap), of which the adapter does one after the other. Left out,
    0.4 us: two reads and writes over the bus, which is assumed.
    """

    bus: str | None = None
    """The rate of the bus in each direction, after what its own protocol takes (PCI, PCI-X, PCI Express)."""

    fetch: str | None = None
    """A read of memory, there and back, before the first of a message's data can be sent."""

    inline: str | None = None
    """Messages up to so many bytes come with the order to send them, and needn't be fetched."""

    latency: str | None = None
    """From memory or processor to the adapter, or back: an order to send, or data that are stored."""


@dataclass(kw_only=True)
class AdaptivePolicyParameters(Part):
    """The number of copies follows how often a file is read for each time that it is written."""

    kind: Literal["adaptive"] = "adaptive"

    after: str | None = None
    """How long after its last update a file may get more copies."""

    scatter: bool | None = None
    """Whether each file begins on a disk by chance."""

    write_all: bool | None = None
    """Whether a file keeps its copies while it is written, as long as its reads are worth them; if not, it is cut back to one."""


@dataclass(kw_only=True)
class AgedSptfQueueDiscipline(Part):
    """As SPTF, with the positioning time made smaller the longer a command has waited, so that none starves (M. Seltzer, P. Chen & J.
    Ousterhout, "Disk scheduling revisited", USENIX 1990).
    """

    kind: Literal["aged-sptf"] = "aged-sptf"

    longest_wait: str | None = None
    """Waiting time in the drive after which a command comes before any other; where all that waits would take longer than that in the worst
    order, so long.
    """


@dataclass(kw_only=True)
class AnticipatoryTable2(Part):
    """Waits a moment after a read for the next one of its process."""

    kind: Literal["anticipatory"] = "anticipatory"

    antic_expire: str | None = None
    """How long a process' next read is waited for (`antic_expire`; HZ/150). Zero switches anticipation off."""

    back_seek_max: str | None = None
    """The furthest that the head goes back within a sweep (MAXBACK; 1,048,576 blocks)."""

    back_seek_penalty: int | None = None
    """How much longer a way back counts than the same way forward (BACK_PENALTY; 2)."""

    first_write_batch: int | None = None
    """Most writes in the first batch; later ones are as large as fits `write_batch_expire` (as_init_queue: 12 at 1,000 Hz)."""

    read_batch_expire: str | None = None
    """How long reads go on while writes wait (`read_batch_expire`; HZ/2)."""

    read_expire: str | None = None
    """How long a read may wait before it goes before nearer ones (`read_expire`; HZ/8 in as-iosched.c)."""

    think_time_max: str | None = None
    """Longer think times count as this one (MAX_THINKTIME; HZ/50)."""

    write_batch_expire: str | None = None
    """How long writes go on while reads wait (`write_batch_expire`; HZ/8)."""

    write_expire: str | None = None
    """How long a write may wait, likewise (`write_expire`; HZ/4)."""


@dataclass(kw_only=True)
class Apart(Part):
    """The table that may stand in place of a word."""

    mode: Literal["ordered", "write-back", "journal"] | None = None
    """What goes through the journal; left out, metadata (`ordered`)."""

    on: str | None = None
    """The disk, array or another part that holds blocks which is the journal; left out, the journal lies within the file system."""


@dataclass(kw_only=True)
class ArbitrationParameters(Part):
    """Whose turn it is among a link's virtual lanes, as InfiniBand's arbitration has it."""

    high: list[LaneWeight | dict[str, Any]] | None = None
    """Lanes that go first; they take turns by their weights."""

    limit: int | None = None
    """How much of `high` may pass while `low` waits, in units of 4 KiB: 255 is any amount, and 0 one train."""

    low: list[LaneWeight | dict[str, Any]] | None = None
    """Lanes that go when none of those may; they take turns by their weights."""


@dataclass(kw_only=True)
class Beegfs(Part):
    """A BeeGFS: chunks of files lie on storage targets, names and inodes on metadata servers, and clients have a few buffers."""

    buffer_size: str | None = None
    """Bytes of a buffer of the cache `buffered` (`tuneFileCacheBufSize`)."""

    buffers: int | None = None
    """How many buffers a client has (`tuneFileCacheBufNum`). Left out, four for each processor, and four at least."""

    cache: Literal["buffered", "none"] | None = None
    """How clients keep data: `buffered`, or `none`."""

    chunk_size: str | None = None
    """Bytes of a chunk: a power of two, 64 KiB or more (`tuneDefaultChunkSize`)."""

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to `client*/NAME`."""

    connections: int | None = None
    """Connections of a client to each server (`connMaxInternodeNum` of clients)."""

    costs: BeegfsCosts | dict[str, Any] | None = None
    """What else costs time of processors."""

    directory_validity: str | None = None
    """How long a client believes what it knows of a directory (`tuneDirSubentryCacheValidityMS`)."""

    early_unlink: bool | None = None
    """Whether removing a file is answered before its chunks are gone (`tuneEarlyUnlinkResponse`)."""

    file_validity: str | None = None
    """How long it believes what it knows of a file (`tuneFileSubentryCacheValidityMS`)."""

    message_buffer: str | None = None
    """Bytes of an answer with names (`tuneMsgBufSize` of clients)."""

    meta_connections: int | None = None
    """Those of a metadata server to each other server."""

    meta_workers: int | None = None
    """Workers of a metadata server (`tuneNumWorkers`). Left out, two for each processor of its host, and four at least."""

    metas: str | list[str] | None = None
    """The file systems of hosts on which its metadata servers keep names and inodes, such as `meta*/names`, in their order: ext4 or XFS,
    whose files have extended attributes. The first has the root.
    """

    mirror: bool | list[list[str]] | None = None
    """Whether targets mirror each other: `true` (each of the first half of them with one of the second), or the groups, as `[["storage0/a",
    "storage1/a"], …]`, each with the target first that clients ask. A target in no group has no files.
    """

    network: str | None = None
    """The network between its clients and servers; may be left out where there is only one."""

    read_piece: str | None = None
    """Bytes in which it reads them and sends them, of who has read 4 MiB one after the other (`tuneFileReadSize`)."""

    remote_fsync: bool | None = None
    """Whether fsync(2) has servers put data on their disks, too (`tuneRemoteFSync`)."""

    storage_connections: int | None = None
    """Those of a storage server."""

    storage_workers: int | None = None
    """Workers of a storage server for each of its targets (`tuneNumWorkers`, `tuneUsePerTargetWorkers`)."""

    target_chooser: Literal["randomized", "roundrobin"] | None = None
    """How a file's targets are chosen (`tuneTargetChooser`): `randomized` or `roundrobin`."""

    targets: str | list[str] | None = None
    """Those that are its storage targets, such as `storage*/target*`, in their order. Their hosts are its storage servers."""

    targets_per_file: int | None = None
    """Targets that a file is striped over, or mirror groups (`tuneDefaultNumStripeTargets`)."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    write_piece: str | None = None
    """Bytes in which a storage server receives data and writes them (`tuneFileWriteSize`)."""


@dataclass(kw_only=True)
class BeegfsCosts(Part):
    """What work costs, as time of the processors of the host that does it. Left out, a message and a request cost what those of NFS are
    taken to (`NfsCosts`), a call of a program the way into the kernel; servers are processes, which costs them a call more each.
    """

    message: str | None = None
    """A message that an end sends: a request, a piece of data, an answer."""

    operation: str | None = None
    """What a program asks for on a client, beside the copy of its data."""

    serve: str | None = None
    """A request that a worker of a server does."""


@dataclass(kw_only=True)
class BfqTable2(Part):
    """Service shared by weight, a budget of blocks at a time."""

    kind: Literal["bfq"] = "bfq"

    async_charge_factor: int | None = None
    """How much more what nobody waits for is charged (bfq_async_charge_factor; 3), unless shares differ."""

    back_seek_max: str | None = None
    """The furthest that the head goes back within a sweep (`back_seek_max`; 16 MiB)."""

    back_seek_penalty: int | None = None
    """How much longer a way back counts than the same way forward (`back_seek_penalty`; 2)."""

    fifo_expire_async: str | None = None
    """How long one that nobody waits for may wait, likewise (`fifo_expire_async`; 250 ms)."""

    fifo_expire_sync: str | None = None
    """How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; 125 ms)."""

    low_latency: bool | None = None
    """Whether processes that have just begun to ask, or ask for little at a time, weigh 30 and 3,000 times as much for a while
    (`low_latency`; 1).
    """

    max_budget: str | None = None
    """The most that a queue is served in a turn (`max_budget`; 0). Zero: 16,384 blocks at first, and then what the device has been seen to
    serve at its best in the time of a turn.
    """

    slice_idle: str | None = None
    """How long a process' next request is waited for (`slice_idle`; 8 ms). Zero switches idling off."""

    strict_guarantees: bool | None = None
    """Whether shares are kept at any price: one request at a time, and always idling (`strict_guarantees`; 0)."""

    timeout: str | None = None
    """How long a turn lasts at most (`timeout_sync`; HZ/8)."""


@dataclass(kw_only=True)
class BitmapParameters(Part):
    """A write-intent bitmap on the members."""

    chunk: str | None = None
    """What of a member a bit stands for (mdadm: `--bitmap-chunk`; 64 MiB), at levels 1 and 1+0 of the array."""

    delay: str | None = None
    """How often bits that aren't used are looked for (mdadm: `--delay`; 5 s)."""


@dataclass(kw_only=True)
class Box(Part):
    """Nothing but a box of parts: a shelf of disks, a rack, a cell."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class BtIoParallelProgram(Part):
    """BT-IO of the NAS Parallel Benchmarks."""

    _keys = {"class_": "class"}

    kind: Literal["bt-io"] = "bt-io"

    class_: Literal["S", "W", "A", "B", "C", "D"] | None = None
    """The size of the problem."""

    fortran_buffer: str | None = None
    """The Fortran library's buffer, of the subtypes fortran and epio (gfortran 10 and later: GFORTRAN_UNFORMATTED_BUFFER_SIZE, 131,072 B)."""

    messages: bool | None = None
    """Whether the ranks exchange the faces of their blocks in each step, as the solver needs it."""

    rate: float | None = None
    """Millions of floating-point operations that a rank computes in a second, as the benchmark reports them for each process
    (Mop/s/process); instead of `step_time`. The benchmark counts 3478.8·N³ − 17655.7·N² + 28023.7·N in a step.
    """

    read_back: bool | None = None
    """Whether all dumps are read back after the last step, to be checked."""

    step_time: str | None = None
    """How long each rank computes in a step. Left out, no time, unless `rate` says how fast it is."""

    steps: int | None = None
    """Time steps (inputbt.data). Left out, the class' own: 60, 200, 250 for D."""

    subtype: Literal["full", "simple", "fortran", "epio"] | None = None
    """How it writes and reads."""

    write_interval: int | None = None
    """Steps from one dump to the next (inputbt.data; there is one after the last step, too)."""


@dataclass(kw_only=True)
class CLookQueueDiscipline(Part):
    """The arm sweeps towards higher cylinders only, and returns to the lowest command."""

    kind: Literal["c-look"] = "c-look"


@dataclass(kw_only=True)
class Ceph(Part):
    """A pool of Ceph's OSDs, on which an image of RBD lies: a block device for a host."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    costs: Costs | dict[str, Any] | None = None
    """What work costs processors."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    erasure: Erasure | dict[str, Any] | None = None
    """Erasure coding instead of copies."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    id: str | None = None
    """The image's number as RBD makes one: its objects are called `rbd_data.ID.` and 16 hexadecimal digits, and lie where these names say."""

    image: str | None = None
    """Size of the image: what lies on it sees a device of so many bytes. All of its objects exist from the beginning, as those of an image
    do that has been written once.
    """

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    min_size: int | None = None
    """Copies (or shards) that must be there for reads and writes to be served; left out, more than half of the copies, as `size` less half
    of it, and with `erasure` one more than the data shards.
    """

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    nodes: CephNodes | dict[str, Any] | None = None
    """The hosts of the OSDs."""

    object: str | None = None
    """Bytes of an object (`rbd create --object-size`)."""

    on: str | list[str] | None = None
    """The device (or array) below each OSD, in the order of the OSDs' numbers."""

    osds_per_host: int | None = None
    """OSDs of each host, in the order in which they are named: they share its processors and its link."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pg_num: int | None = None
    """Placement groups of the pool (osd_pool_default_pg_num)."""

    pool: int | None = None
    """The pool's number, by which its placement groups lie elsewhere than those of others."""

    processors: int | None = None
    """Processors of each host of OSDs, and of the client."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    queue_depth: int | None = None
    """Requests that the client has under way at once (`queue_depth` of krbd)."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    recovery: Recovery | dict[str, Any] | None = None
    """What happens then."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    size: int | None = None
    """Copies of each object, each on another host (osd_pool_default_size)."""

    stops: list[OsdStop | dict[str, Any]] | None = None
    """OSDs that stop, and perhaps come back."""

    store: Store | dict[str, Any] | None = None
    """How an OSD writes."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class CephNodes(Part):
    """The hosts of OSDs, and the client."""

    network: str | None = None
    """Their network, `[network.NAME]`, which connects nothing else. The client is called as the pool is, and each host as the device of its
    first OSD.
    """


@dataclass(kw_only=True)
class CfqTable2(Part):
    """A slice of time for each process in turn, by I/O class and priority."""

    kind: Literal["cfq"] = "cfq"

    back_seek_max: str | None = None
    """The furthest that the head goes back within a sweep (`back_seek_max`; 16 MiB)."""

    back_seek_penalty: int | None = None
    """How much longer a way back counts than the same way forward (`back_seek_penalty`; 2)."""

    fifo_expire_async: str | None = None
    """How long one that nobody waits for may wait, likewise (`fifo_expire_async`; HZ/4)."""

    fifo_expire_sync: str | None = None
    """How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; HZ/8)."""

    quantum: int | None = None
    """Most requests of a queue that are dispatched at a time (`quantum`). Left out: 4, and 8 with service trees."""

    real_time_preempts: bool | None = None
    """Whether a real-time request ends the slice of another class, as it always does with service trees. 2.6.24 lets it come to its end."""

    service_trees: bool | None = None
    """Whether queues stand in trees by kind of work, and idling follows from how many do. Left out: as the kernel does it (from 2.6.33 on;
    `block.service_trees` of its profile).
    """

    slice_async: str | None = None
    """The slice of a shared queue, likewise (`slice_async`; HZ/25)."""

    slice_async_rq: int | None = None
    """Requests of a shared queue in a slice: twice this at priority 7, and as many more for each priority above (`slice_async_rq`; 2)."""

    slice_idle: str | None = None
    """How long a process' next request is waited for (`slice_idle`; HZ/125). Zero switches idling off."""

    slice_sync: str | None = None
    """The slice of a process' queue at priority 4 (`slice_sync`; HZ/10); a fifth more or less for each priority."""

    target_latency: str | None = None
    """In which time every process gets a turn: slices become shorter for it (`target_latency`). Zero leaves them as they are. Left out:
    zero, and 300 ms with service trees.
    """


@dataclass(kw_only=True)
class Change(Part):
    """Figures that differ from those of the catalogue."""

    kernel: dict[str, Any] | None = None
    """Of the kernel."""

    machine: dict[str, Any] | None = None
    """Of the machine."""


@dataclass(kw_only=True)
class CheckpointParallelProgram(Part):
    """Computing with checkpoints, and restart from one."""

    kind: Literal["checkpoint"] = "checkpoint"

    checkpoints: int | None = None
    """Checkpoints."""

    collective: bool | None = None
    """Whether the accesses of all ranks to one file are collective ones of MPI-IO."""

    fsync: bool | None = None
    """Whether each checkpoint is made durable (fsync by each rank) before the program goes on."""

    interval: str | None = None
    """How long each rank computes before each checkpoint."""

    layout: Literal["n-n", "n-1", "n-1-strided", "n-1-ordered"] | None = None
    """Where the ranks' states lie."""

    restart: bool | None = None
    """Whether the program begins by reading a checkpoint that is there."""

    sets: int | None = None
    """Sets of files that checkpoints go to in turn. With the first one of each a file is made."""

    state: str | None = None
    """Bytes that each rank writes in a checkpoint; a multiple of `transfer`."""

    transfer: str | None = None
    """Bytes of one access. Left out, the whole state by one."""


@dataclass(kw_only=True)
class ColumnUnits(Part):
    """The units of such columns: a number without one says nothing."""

    length: Literal["bytes", "sectors"] | None = None
    """Of how long it is."""

    offset: Literal["bytes", "sectors"] | None = None
    """Of where a request begins."""

    response: Literal["s", "ms", "us", "ns", "ps"] | None = None
    """Of how long it took; left out, as the time."""

    time: Literal["s", "ms", "us", "ns", "ps"] | None = None
    """Of the time."""


@dataclass(kw_only=True)
class Concat(Part):
    """Several disks (or other parts that hold blocks) as one: the second begins where the first ends. They may have different sizes."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | list[str] | None = None
    """The members, in order."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class ControllerParameters(Part):
    """A controller: a processor of the array's own, which does one thing after the other."""

    cache: RaidCacheParameters | dict[str, Any] | None = None
    """Its memory. Left out: it has none."""

    overhead: str | None = None
    """Its work on each request."""

    parity_rate: str | None = None
    """How fast it makes parity, of all that goes into it: data written and whatever is read. Left out: in no time."""


@dataclass(kw_only=True)
class Cost(Part):
    """What a part costs, and what it draws."""

    power: PowerDraw | dict[str, Any] | None = None
    """What one draws."""

    price: Price | dict[str, Any] | None = None
    """What one costs to buy: "329 USD", or a table with that as `amount`, its date and its source."""

    rent: Rent | dict[str, Any] | None = None
    """What one costs a month, where it is rented."""


@dataclass(kw_only=True)
class Costs(Part):
    """Processor time of Ceph's parts, each request; what messages cost beside is the network's `costs`."""

    answer: str | None = None
    """At the primary, of the answer once all have committed."""

    client: str | None = None
    """At the client, of each request to an OSD."""

    code_kib: str | None = None
    """Of each KiB that is coded or made again from others (jerasure: about 1 GB/s of a core; assumed)."""

    commit: str | None = None
    """Of a batch of transactions in RocksDB."""

    read: str | None = None
    """At the primary, of a read, in an operation's thread."""

    replica: str | None = None
    """At another OSD, of what the primary asks of it, in an operation's thread."""

    write: str | None = None
    """At the primary, of a write before it is sent on, in an operation's thread."""


@dataclass(kw_only=True)
class CounterParameters(Part):
    """Whose number each rank adds to."""

    by: int | None = None
    """How many ranks after it comes the one whose number a rank adds to, round the circle; it or `to`."""

    times: int | None = None
    """So often, posted together."""

    to: int | None = None
    """The rank whose number all add to, its own included; it or `by`."""


@dataclass(kw_only=True)
class CscanQueueDiscipline(Part):
    """As C-LOOK, but the arm returns to cylinder 0 first, and counts the way there."""

    kind: Literal["cscan"] = "cscan"


@dataclass(kw_only=True)
class CumulativeTable(Part):
    """Points and the probability of each or less."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `p`; a first line of words names the
    unit of points that have none. `petrio fit --table` writes one.
    """

    interpolation: Literal["linear", "monotone-cubic"] | None = None
    """How it goes on between the points."""

    lines: str | None = None
    """The lines themselves."""

    p: list[float] | None = None
    """The probability of each or less. The first is that of exactly the first point, the last is 1."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class CumulativeTable2(Part):
    """Points and the probability of each or less."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `p`; a first line of words names the
    unit of points that have none. `petrio fit --table` writes one.
    """

    interpolation: Literal["linear", "monotone-cubic"] | None = None
    """How it goes on between the points."""

    lines: str | None = None
    """The lines themselves."""

    p: list[float] | None = None
    """The probability of each or less. The first is that of exactly the first point, the last is 1."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class CumulativeTable3(Part):
    """Points and the probability of each or less."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `p`; a first line of words names the
    unit of points that have none. `petrio fit --table` writes one.
    """

    interpolation: Literal["linear", "monotone-cubic"] | None = None
    """How it goes on between the points."""

    lines: str | None = None
    """The lines themselves."""

    p: list[float] | None = None
    """The probability of each or less. The first is that of exactly the first point, the last is 1."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class CumulativeTable4(Part):
    """Points and the probability of each or less."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `p`; a first line of words names the
    unit of points that have none. `petrio fit --table` writes one.
    """

    interpolation: Literal["linear", "monotone-cubic"] | None = None
    """How it goes on between the points."""

    lines: str | None = None
    """The lines themselves."""

    p: list[float] | None = None
    """The probability of each or less. The first is that of exactly the first point, the last is 1."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class CutBackPolicyParameters(Part):
    """RNW1: before a file is written, all copies but the first go; when it has not been written for a while, they come back."""

    kind: Literal["cut-back"] = "cut-back"

    after: str | None = None
    """How long after the file was made or last written."""

    age: str | None = None
    """Only when it is so old; a file that was there before the run is."""

    largest: str | None = None
    """Only up to this size."""

    misses: int | None = None
    """Only when it has been opened for reading and read from a disk so often."""

    most_writes: int | None = None
    """Only as long as it has been opened for writing no more often."""

    reads: int | None = None
    """Only when it has been opened for reading so often."""

    step: int | None = None
    """So many more at a time, each at its own event; left out, all at once."""


@dataclass(kw_only=True)
class CutBackRandomPolicyParameters(Part):
    """RNW1CR: as `cut-back`, but the copy that is kept is one by chance."""

    kind: Literal["cut-back-random"] = "cut-back-random"

    after: str | None = None
    """How long after the file was made or last written."""

    age: str | None = None
    """Only when it is so old; a file that was there before the run is."""

    largest: str | None = None
    """Only up to this size."""

    misses: int | None = None
    """Only when it has been opened for reading and read from a disk so often."""

    most_writes: int | None = None
    """Only as long as it has been opened for writing no more often."""

    reads: int | None = None
    """Only when it has been opened for reading so often."""

    step: int | None = None
    """So many more at a time, each at its own event; left out, all at once."""


@dataclass(kw_only=True)
class DarshanParallelProgram(Part):
    """A program that Darshan recorded."""

    kind: Literal["darshan"] = "darshan"

    file: str | None = None
    """Darshan's log, or what darshan-dxt-parser (or, of a log without extended traces, darshan-parser) printed of it."""

    gaps: Literal["compute", "think"] | None = None
    """What a rank did between two calls."""

    time_scale: float | None = None
    """The gaps are multiplied by this: 0 for none."""


@dataclass(kw_only=True)
class DatatypeParameters(Part):
    """A datatype of MPI, made of the one that stands before it in the list."""

    bytes: str | None = None
    """A size with its unit, such as "64 KiB" """

    contiguous: dict[str, Any] | None = None

    vector: dict[str, Any] | None = None

    indexed: dict[str, Any] | None = None

    subarray: dict[str, Any] | None = None

    distributed: dict[str, Any] | None = None

    resized: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DatedPrice(Part):
    """A price as a table."""

    amount: str | None = None
    """How much."""

    date: str | None = None
    """When it was asked: a year, a month or a day ("2019-06")."""

    source: str | None = None
    """By whom, and where that stands."""


@dataclass(kw_only=True)
class DeadlineTable2(Part):
    """Sweeps in batches, reads first, and a time by which each request is served."""

    kind: Literal["deadline"] = "deadline"

    fifo_batch: int | None = None
    """Requests in a batch (`fifo_batch`; 16)."""

    front_merges: bool | None = None
    """Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1)."""

    read_expire: str | None = None
    """How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in deadline-iosched.c)."""

    write_expire: str | None = None
    """How long a write may wait, likewise (`write_expire`; 5·HZ)."""

    writes_starved: int | None = None
    """How many batches of reads may pass writes that wait (`writes_starved`; 2)."""


@dataclass(kw_only=True)
class DensityTable(Part):
    """Points and the density at each."""

    density: list[float] | None = None
    """The density at each, to any scale: the whole integrates to 1."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `density`; a first line of words names
    the unit of points that have none. `petrio fit --table` writes one.
    """

    lines: str | None = None
    """The lines themselves."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class DensityTable2(Part):
    """Points and the density at each."""

    density: list[float] | None = None
    """The density at each, to any scale: the whole integrates to 1."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `density`; a first line of words names
    the unit of points that have none. `petrio fit --table` writes one.
    """

    lines: str | None = None
    """The lines themselves."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class DensityTable3(Part):
    """Points and the density at each."""

    density: list[float] | None = None
    """The density at each, to any scale: the whole integrates to 1."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `density`; a first line of words names
    the unit of points that have none. `petrio fit --table` writes one.
    """

    lines: str | None = None
    """The lines themselves."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class DensityTable4(Part):
    """Points and the density at each."""

    density: list[float] | None = None
    """The density at each, to any scale: the whole integrates to 1."""

    file: str | None = None
    """A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `density`; a first line of words names
    the unit of points that have none. `petrio fit --table` writes one.
    """

    lines: str | None = None
    """The lines themselves."""

    x: list[str] | None = None
    """The points, ascending."""


@dataclass(kw_only=True)
class DeviceAccessLoad(Part):
    """Processes that read and write disks themselves, past no host and no file system."""

    accesses: int | None = None
    """Accesses of each process in all; left out, no limit."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins."""

    alignment: str | None = None
    """Random accesses begin at multiples of this; left out, of the smallest record."""

    amount: str | None = None
    """Bytes that each process accesses in a pass; left out, its areas once."""

    any_size: bool | None = None
    """Whether drawn sizes need not be multiples of the smallest."""

    area: str | float | None = None
    """How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes where it rests: it keeps a processor busy."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable."""

    direct: bool | None = None
    """O_DIRECT: past the page cache."""

    duration: str | None = None
    """For how long each process issues accesses at most."""

    engine: Literal["waits", "native-aio", "io-uring", "posix-aio"] | None = None
    """How they are asked for. One that waits for each has one in flight, whatever `in_flight` says."""

    fdatasync_every: int | None = None
    """After how many writes an fdatasync does."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it."""

    file_turn: int | None = None
    """Accesses to a file before the next has its turn."""

    files: int | None = None
    """Files of each process. Of disks, each process has all that the workload is on."""

    flow: FlowShare | dict[str, Any] | None = None
    """Its share beside other jobs: who is ahead waits for the others."""

    fsync_at_end: bool | None = None
    """Whether each file is made durable when all is done."""

    fsync_every: int | None = None
    """After how many writes an fsync makes them durable; 0, none."""

    in_flight: int | None = None
    """Accesses that a process may have in flight."""

    job_number: int | None = None
    """With `seed`: the number of the first process among all of a job file, from 1."""

    keep_on: bool | None = None
    """Whether it begins anew where all is done, until `duration` or the run is over."""

    latency_target: LatencyTarget | dict[str, Any] | None = None
    """How long accesses may take: as many are in flight as that allows, and `in_flight` at most."""

    mapped: bool | None = None
    """By loads and stores in a mapping of the file."""

    new_files: bool | None = None
    """Whether the files are new: empty, without blocks. Otherwise they are there as large as they become."""

    offset: str | float | None = None
    """Where in each file that begins."""

    offset_step: str | float | None = None
    """So much further in for each process after the first."""

    on: str | list[str] | None = None
    """The disks; each process goes through all of them."""

    operation: Literal["read", "write", "mixed", "create", "stat", "remove", "make-directory", "stat-directory", "remove-directory"] | None = None
    """What is done."""

    order: Literal["sequential", "random"] | None = None
    """In which order."""

    pace: Pace | dict[str, Any] | None = None
    """How fast reads are issued at most; without `write_pace`, writes too."""

    passes: int | None = None
    """How often it is all done."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others. They may come again."""

    processes: int | None = None
    """Processes."""

    random_share: str | float | None = None
    """How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    reads_back: bool | None = None
    """Whether what was written in a pass is read back after it."""

    record: Sizes | dict[str, Any] | None = None
    """Bytes of an access: a size, a range, or sizes with their shares."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come."""

    run: int | None = None
    """Accesses in a row from each random place on."""

    same_passes: bool | None = None
    """With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`)."""

    seed: int | None = None
    """fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's seed."""

    sequence: PlaceSequence | dict[str, Any] | None = None
    """Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`)."""

    shared_files: bool | None = None
    """Whether all processes work on the same files. Of disks they do."""

    skip: str | None = None
    """From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards."""

    starts_after: str | None = None
    """How long each process waits before its first access."""

    strides: Strides | dict[str, Any] | None = None
    """Areas that are gone through one after the other."""

    submitting: Submitting | dict[str, Any] | None = None
    """When and how many are waited for."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    waited for a flush follows.
    """

    think_after: str | None = None
    """How long after it has rested it rests again, whatever the number of accesses."""

    think_by_issue: bool | None = None
    """Whether that is of accesses that are submitted."""

    think_every: int | None = None
    """After how many accesses that are done and taken back each time; 0, whatever their number."""

    think_time: str | None = None
    """How long it rests, with nothing in flight."""

    truncates: bool | None = None
    """Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`)."""

    until_steady: SteadyState | dict[str, Any] | None = None
    """It ends when this is steady."""

    warm_up: str | None = None
    """For how long at its beginning accesses don't count; `duration` comes after it."""

    write_pace: Pace | dict[str, Any] | None = None
    """How fast writes are issued at most."""

    write_record: Sizes | dict[str, Any] | None = None
    """Those of a write, where they are others."""

    zones: ZoneLog | dict[str, Any] | None = None
    """Zones that are written from their beginning only."""


@dataclass(kw_only=True)
class DeviceAccessesWorkload(Part):
    """Processes that read and write disks as fio's jobs do."""

    kind: Literal["device-accesses"] = "device-accesses"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    accesses: int | None = None
    """Accesses of each process in all; left out, no limit."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins."""

    alignment: str | None = None
    """Random accesses begin at multiples of this; left out, of the smallest record."""

    amount: str | None = None
    """Bytes that each process accesses in a pass; left out, its areas once."""

    any_size: bool | None = None
    """Whether drawn sizes need not be multiples of the smallest."""

    area: str | float | None = None
    """How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes where it rests: it keeps a processor busy."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable."""

    direct: bool | None = None
    """O_DIRECT: past the page cache."""

    duration: str | None = None
    """For how long each process issues accesses at most."""

    engine: Literal["waits", "native-aio", "io-uring", "posix-aio"] | None = None
    """How they are asked for. One that waits for each has one in flight, whatever `in_flight` says."""

    fdatasync_every: int | None = None
    """After how many writes an fdatasync does."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it."""

    file_turn: int | None = None
    """Accesses to a file before the next has its turn."""

    files: int | None = None
    """Files of each process. Of disks, each process has all that the workload is on."""

    flow: FlowShare | dict[str, Any] | None = None
    """Its share beside other jobs: who is ahead waits for the others."""

    fsync_at_end: bool | None = None
    """Whether each file is made durable when all is done."""

    fsync_every: int | None = None
    """After how many writes an fsync makes them durable; 0, none."""

    in_flight: int | None = None
    """Accesses that a process may have in flight."""

    job_number: int | None = None
    """With `seed`: the number of the first process among all of a job file, from 1."""

    keep_on: bool | None = None
    """Whether it begins anew where all is done, until `duration` or the run is over."""

    latency_target: LatencyTarget | dict[str, Any] | None = None
    """How long accesses may take: as many are in flight as that allows, and `in_flight` at most."""

    mapped: bool | None = None
    """By loads and stores in a mapping of the file."""

    new_files: bool | None = None
    """Whether the files are new: empty, without blocks. Otherwise they are there as large as they become."""

    offset: str | float | None = None
    """Where in each file that begins."""

    offset_step: str | float | None = None
    """So much further in for each process after the first."""

    on: str | list[str] | None = None
    """The disks; each process goes through all of them."""

    operation: Literal["read", "write", "mixed", "create", "stat", "remove", "make-directory", "stat-directory", "remove-directory"] | None = None
    """What is done."""

    order: Literal["sequential", "random"] | None = None
    """In which order."""

    pace: Pace | dict[str, Any] | None = None
    """How fast reads are issued at most; without `write_pace`, writes too."""

    passes: int | None = None
    """How often it is all done."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others. They may come again."""

    processes: int | None = None
    """Processes."""

    random_share: str | float | None = None
    """How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    reads_back: bool | None = None
    """Whether what was written in a pass is read back after it."""

    record: Sizes | dict[str, Any] | None = None
    """Bytes of an access: a size, a range, or sizes with their shares."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come."""

    run: int | None = None
    """Accesses in a row from each random place on."""

    same_passes: bool | None = None
    """With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`)."""

    seed: int | None = None
    """fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's seed."""

    sequence: PlaceSequence | dict[str, Any] | None = None
    """Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`)."""

    shared_files: bool | None = None
    """Whether all processes work on the same files. Of disks they do."""

    skip: str | None = None
    """From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards."""

    starts_after: str | None = None
    """How long each process waits before its first access."""

    strides: Strides | dict[str, Any] | None = None
    """Areas that are gone through one after the other."""

    submitting: Submitting | dict[str, Any] | None = None
    """When and how many are waited for."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    waited for a flush follows.
    """

    think_after: str | None = None
    """How long after it has rested it rests again, whatever the number of accesses."""

    think_by_issue: bool | None = None
    """Whether that is of accesses that are submitted."""

    think_every: int | None = None
    """After how many accesses that are done and taken back each time; 0, whatever their number."""

    think_time: str | None = None
    """How long it rests, with nothing in flight."""

    truncates: bool | None = None
    """Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`)."""

    until_steady: SteadyState | dict[str, Any] | None = None
    """It ends when this is steady."""

    warm_up: str | None = None
    """For how long at its beginning accesses don't count; `duration` comes after it."""

    write_pace: Pace | dict[str, Any] | None = None
    """How fast writes are issued at most."""

    write_record: Sizes | dict[str, Any] | None = None
    """Those of a write, where they are others."""

    zones: ZoneLog | dict[str, Any] | None = None
    """Zones that are written from their beginning only."""


@dataclass(kw_only=True)
class Disk(Part):
    """One or several disks of a kind."""

    bus: str | None = None
    """The host bus adapter on which it hangs (`[hba.NAME]`), or just the name of a bus that it shares with the other disks of the part
    around it that name it, such as "scsi0": one disk at a time gets a command, gives data or reports. Mechanical disks only. Left out:
    it has a bus of its own.
    """

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on."""

    drive: dict[str, Any] | None = None
    """Parameters of the drive that differ from the catalogue's: drive.mechanics.rotation = "15000 rpm". Without model and file, the whole
    drive.
    """

    file: str | None = None
    """A drive in a file of your own, in the form of the catalogue; relative to the scenario's folder."""

    model: str | None = None
    """A drive of the catalogue, by name: "seagate-cheetah-9lp". `petrio catalogue list` names them all."""

    queue_depth: int | None = None
    """Commands that the disk accepts at a time, waiting in it and in service; left out, as the drive's own."""

    scheduler: Scheduler | dict[str, Any] | None = None
    """The order in which requests that wait before the disk are sent to it."""

    spindle: Literal["free", "locked"] | None = None
    """Whether it turns for itself, as disks do, or in step with the others that are locked."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    write_cache: Literal["on", "off"] | None = None
    """Whether the disk reports writes before they are on its platters; left out, as its maker ships it. Hosts flush it where it does."""


@dataclass(kw_only=True)
class DragonflyTable(Part):
    """Groups of switches, each connected with each."""

    kind: Literal["dragonfly"] = "dragonfly"

    arrangement: Literal["palmtree", "consecutive"] | None = None
    """Which global link leads to which group."""

    global_links: int | None = None
    """Links from each switch to other groups (h)."""

    groups: int | None = None
    """Groups (g)."""

    hosts_per_switch: int | None = None
    """Hosts at each switch (p)."""

    routing: Literal["minimal", "valiant", "ugal", "ugal-global"] | None = None
    """How a message crosses it."""

    switches_per_group: int | None = None
    """Switches in each group, each connected with each (a)."""


@dataclass(kw_only=True)
class DrawFamily(Part):
    """A distribution's family with its parameters, each with its unit; one key, which names the family."""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A duration with its unit, such as "5 ms" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawFamily2(Part):
    """A distribution's family with its parameters, each with its unit; one key, which names the family."""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A number of blocks with its unit, such as "8 blocks" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages2 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable2 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable2 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample2 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart2 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawFamily3(Part):
    """A distribution's family with its parameters, each with its unit; one key, which names the family."""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A number of blocks with its unit, such as "8 blocks" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages3 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable3 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable3 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample3 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart3 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawFamily4(Part):
    """A distribution's family with its parameters, each with its unit; one key, which names the family."""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A size with its unit, such as "64 KiB" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages4 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable4 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable4 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample4 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart4 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawOfBlocks(Part):
    """A random quantity: a distribution, or a quantity that never changes"""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A number of blocks with its unit, such as "8 blocks" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages3 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable3 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable3 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample3 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart3 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawOfBytes(Part):
    """A random quantity: a distribution, or a quantity that never changes"""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A size with its unit, such as "64 KiB" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages4 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable4 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable4 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample4 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart4 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawOfDuration(Part):
    """A random quantity: a distribution, or a quantity that never changes"""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A duration with its unit, such as "5 ms" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class DrawOfSignedBlocks(Part):
    """A random quantity: a distribution, or a quantity that never changes"""

    _keys = {"two_value": "two-value", "phase_type": "phase-type", "hyper_erlang": "hyper-erlang", "density_table": "density-table", "cumulative_table": "cumulative-table"}

    constant: str | None = None
    """A number of blocks with its unit, such as "8 blocks" """

    uniform: dict[str, Any] | None = None

    normal: dict[str, Any] | None = None

    exponential: dict[str, Any] | None = None

    poisson: dict[str, Any] | None = None

    two_value: dict[str, Any] | None = None

    lognormal: dict[str, Any] | None = None

    weibull: dict[str, Any] | None = None

    pareto: dict[str, Any] | None = None

    zipf: dict[str, Any] | None = None

    geometric: dict[str, Any] | None = None

    gamma: GammaStages2 | dict[str, Any] | None = None
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    phase_type: dict[str, Any] | None = None

    hyper_erlang: dict[str, Any] | None = None

    density_table: DensityTable2 | dict[str, Any] | None = None
    """Points and the density at each."""

    cumulative_table: CumulativeTable2 | dict[str, Any] | None = None
    """Points and the probability of each or less."""

    empirical: EmpiricalSample2 | dict[str, Any] | None = None
    """A sample of values."""

    mixture: list[MixturePart2 | dict[str, Any]] | None = None

    truncated: dict[str, Any] | None = None


@dataclass(kw_only=True)
class Durability(Part):
    """When written data are made durable by a call."""

    every: int | None = None


@dataclass(kw_only=True)
class EmpiricalSample(Part):
    """A sample of values."""

    smooth: bool | None = None
    """Whether anything between two neighbouring values is drawn too; otherwise the values alone."""

    values: list[str] | None = None
    """The values, in any order."""

    weights: list[float] | None = None
    """How often each occurred; left out: once."""


@dataclass(kw_only=True)
class EmpiricalSample2(Part):
    """A sample of values."""

    smooth: bool | None = None
    """Whether anything between two neighbouring values is drawn too; otherwise the values alone."""

    values: list[str] | None = None
    """The values, in any order."""

    weights: list[float] | None = None
    """How often each occurred; left out: once."""


@dataclass(kw_only=True)
class EmpiricalSample3(Part):
    """A sample of values."""

    smooth: bool | None = None
    """Whether anything between two neighbouring values is drawn too; otherwise the values alone."""

    values: list[str] | None = None
    """The values, in any order."""

    weights: list[float] | None = None
    """How often each occurred; left out: once."""


@dataclass(kw_only=True)
class EmpiricalSample4(Part):
    """A sample of values."""

    smooth: bool | None = None
    """Whether anything between two neighbouring values is drawn too; otherwise the values alone."""

    values: list[str] | None = None
    """The values, in any order."""

    weights: list[float] | None = None
    """How often each occurred; left out: once."""


@dataclass(kw_only=True)
class Erasure(Part):
    """Erasure coding: each object in `data` shards, and `coding` more from which any as many can be made again."""

    coding: int | None = None
    """Shards beside (m)."""

    data: int | None = None
    """Shards of data (k)."""

    stripe_unit: str | None = None
    """Bytes of a stripe in a shard (osd_pool_erasure_code_stripe_unit)."""


@dataclass(kw_only=True)
class ErlangStage(Part):
    """One branch of a hyper-Erlang distribution: equal exponential phases one after another."""

    mean: str | None = None
    """The mean of the whole branch."""

    phases: int | None = None
    """How many phases."""

    weight: float | None = None
    """How likely it is, beside the other branches' weights."""


@dataclass(kw_only=True)
class ErlangStage2(Part):
    """One branch of a hyper-Erlang distribution: equal exponential phases one after another."""

    mean: str | None = None
    """The mean of the whole branch."""

    phases: int | None = None
    """How many phases."""

    weight: float | None = None
    """How likely it is, beside the other branches' weights."""


@dataclass(kw_only=True)
class ErlangStage3(Part):
    """One branch of a hyper-Erlang distribution: equal exponential phases one after another."""

    mean: str | None = None
    """The mean of the whole branch."""

    phases: int | None = None
    """How many phases."""

    weight: float | None = None
    """How likely it is, beside the other branches' weights."""


@dataclass(kw_only=True)
class ErlangStage4(Part):
    """One branch of a hyper-Erlang distribution: equal exponential phases one after another."""

    mean: str | None = None
    """The mean of the whole branch."""

    phases: int | None = None
    """How many phases."""

    weight: float | None = None
    """How likely it is, beside the other branches' weights."""


@dataclass(kw_only=True)
class EventsWorkload(Part):
    """A file-level trace, played back."""

    kind: Literal["events"] = "events"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    caches: Literal["as-traced", "cold"] | None = None
    """Which files are in memory when it begins."""

    columns: NamedColumns | dict[str, Any] | None = None
    """Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" }; its first line
    has the names. Needs `units`.
    """

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    device_room: str | None = None
    """Of a trace of device requests: the most that the file which stands for a device may take; addresses beyond it wrap round. Left out,
    the file is as long as the highest address needs.
    """

    file: str | None = None
    """The trace file, relative to the scenario's folder. Its format is told from its content."""

    files: list[str] | None = None
    """The same as `file`."""

    format: str | None = None
    """Its format, where the content doesn't tell."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    out_of_range: Literal["allocate", "wrap", "error"] | None = None
    """On a Unix host of 1990, which puts files where the trace saw them: what becomes of that if it saw one beyond the end of its file
    system's device, as on a machine with a larger one.
    """

    places: dict[str, str] | None = None
    """On which other file systems of the same host its files lie, by the beginning of their paths or by the number of the device on which
    the trace saw them: { "/home" = "users", "1026" = "users" }; of several beginnings the longest counts, and paths before devices. All
    others lie on that of the workload itself.
    """

    reads: Literal["all", "missed"] | None = None
    """Which reads are played: all of them, or only those that missed the cache of the machine that was traced (for a Unix host with `reads
    = "missed"`).
    """

    replay: Literal["open", "closed"] | None = None
    """Whether calls keep their times (open), or each follows the end of the one before after its recorded think time (closed)."""

    think_per: Literal["process", "file"] | None = None
    """For whom think times are kept in a closed replay: each process (where the trace knows them), or each file."""

    time_scale: float | None = None
    """Factor on times and think times: 0.5 plays the trace twice as fast."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    units: ColumnUnits | dict[str, Any] | None = None
    """The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }."""


@dataclass(kw_only=True)
class ExponentialStage(Part):
    """One phase of a phase-type exponential distribution. Its mean is `offset + mean`."""

    mean: str | None = None
    """The mean of what is added to the offset."""

    offset: str | None = None
    """The offset; nothing if left out."""

    weight: float | None = None
    """How likely it is, beside the other phases' weights."""


@dataclass(kw_only=True)
class ExponentialStage2(Part):
    """One phase of a phase-type exponential distribution. Its mean is `offset + mean`."""

    mean: str | None = None
    """The mean of what is added to the offset."""

    offset: str | None = None
    """The offset; nothing if left out."""

    weight: float | None = None
    """How likely it is, beside the other phases' weights."""


@dataclass(kw_only=True)
class ExponentialStage3(Part):
    """One phase of a phase-type exponential distribution. Its mean is `offset + mean`."""

    mean: str | None = None
    """The mean of what is added to the offset."""

    offset: str | None = None
    """The offset; nothing if left out."""

    weight: float | None = None
    """How likely it is, beside the other phases' weights."""


@dataclass(kw_only=True)
class ExponentialStage4(Part):
    """One phase of a phase-type exponential distribution. Its mean is `offset + mean`."""

    mean: str | None = None
    """The mean of what is added to the offset."""

    offset: str | None = None
    """The offset; nothing if left out."""

    weight: float | None = None
    """How likely it is, beside the other phases' weights."""


@dataclass(kw_only=True)
class Fabric(Part):
    """A network of storage between a host and what it uses there."""

    adapter: str | None = None
    """The host bus adapter's work on each request; those of several requests overlap."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    frame_overhead: str | None = None
    """Bytes around the data of a frame: start 4, header 24, check 4, end 4, and six idle words of 4 before the next."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    latency: str | None = None
    """One way through cables and switches."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | None = None
    """The disk or array at its far end."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    payload: str | None = None
    """Most bytes of data in a frame (2,048 of the 2,112 that a Fibre Channel frame can hold, as adapters use)."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rate: str | None = None
    """Rate of each direction after line coding. 2 Gbit/s Fibre Channel sends 2.125 GBd in an 8b/10b code: 212.5 MB/s."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    transfer_ready: bool | None = None
    """Whether a write's data wait until the array is ready for them."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class FabricParameters(Part):
    """A fabric."""

    adapter: str | None = None
    """The host bus adapter's work on each request; those of several requests overlap."""

    frame_overhead: str | None = None
    """Bytes around the data of a frame: start 4, header 24, check 4, end 4, and six idle words of 4 before the next."""

    latency: str | None = None
    """One way through cables and switches."""

    payload: str | None = None
    """Most bytes of data in a frame (2,048 of the 2,112 that a Fibre Channel frame can hold, as adapters use)."""

    rate: str | None = None
    """Rate of each direction after line coding. 2 Gbit/s Fibre Channel sends 2.125 GBd in an 8b/10b code: 212.5 MB/s."""

    transfer_ready: bool | None = None
    """Whether a write's data wait until the array is ready for them."""


@dataclass(kw_only=True)
class FailureOfOne(Part):
    """One of many servers that fails for a while."""

    at: str | None = None
    """When it begins."""

    restored_after: str | None = None
    """How long it takes. Left out: to the end of the run."""

    server: int | None = None
    """Which server, in the order in which they are named, counted from 0."""

    slower_by: str | None = None
    """Of a server that is slow: how much longer each request takes."""

    what: Literal["stops", "unreachable", "slow", "exits"] | None = None
    """What fails."""


@dataclass(kw_only=True)
class FatTreeTable(Part):
    """A folded Clos network of equal switches."""

    kind: Literal["fat-tree"] = "fat-tree"

    levels: int | None = None
    """Levels of switches, 2 (room for ports² / 2 hosts) or 3 (ports³ / 4); left out, as few as the hosts need."""

    ports: int | None = None
    """Ports of each switch, an even number: half of them lead down, except at the top."""

    routing: Literal["by-destination", "by-flow"] | None = None
    """How a message finds its way up."""


@dataclass(kw_only=True)
class FcfsQueueDiscipline(Part):
    """First come, first served."""

    kind: Literal["fcfs"] = "fcfs"


@dataclass(kw_only=True)
class FileLoad(Part):
    """Processes that work on files."""

    accesses: int | None = None
    """Accesses of each process in all; left out, no limit."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    alignment: str | None = None
    """Random accesses begin at multiples of this; left out, of the smallest record."""

    amount: str | None = None
    """Bytes that each process accesses in a pass; left out, its areas once."""

    any_size: bool | None = None
    """Whether drawn sizes need not be multiples of the smallest."""

    area: str | float | None = None
    """How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes where it rests: it keeps a processor busy."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache."""

    duration: str | None = None
    """For how long each process issues accesses at most."""

    engine: Literal["waits", "native-aio", "io-uring", "posix-aio"] | None = None
    """How they are asked for. One that waits for each has one in flight, whatever `in_flight` says."""

    fdatasync_every: int | None = None
    """After how many writes an fdatasync does."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it."""

    file_turn: int | None = None
    """Accesses to a file before the next has its turn."""

    files: int | None = None
    """Files of each process. Of disks, each process has all that the workload is on."""

    flow: FlowShare | dict[str, Any] | None = None
    """Its share beside other jobs: who is ahead waits for the others."""

    fsync_at_end: bool | None = None
    """Whether each file is made durable when all is done."""

    fsync_every: int | None = None
    """After how many writes an fsync makes them durable; 0, none."""

    in_flight: int | None = None
    """Accesses that a process may have in flight."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    job_number: int | None = None
    """With `seed`: the number of the first process among all of a job file, from 1."""

    keep_on: bool | None = None
    """Whether it begins anew where all is done, until `duration` or the run is over."""

    latency_target: LatencyTarget | dict[str, Any] | None = None
    """How long accesses may take: as many are in flight as that allows, and `in_flight` at most."""

    mapped: bool | None = None
    """By loads and stores in a mapping of the file."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    new_files: bool | None = None
    """Whether the files are new: empty, without blocks. Otherwise they are there as large as they become."""

    offset: str | float | None = None
    """Where in each file that begins."""

    offset_step: str | float | None = None
    """So much further in for each process after the first."""

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    operation: Literal["read", "write", "mixed", "create", "stat", "remove", "make-directory", "stat-directory", "remove-directory"] | None = None
    """What is done."""

    order: Literal["sequential", "random"] | None = None
    """In which order."""

    pace: Pace | dict[str, Any] | None = None
    """How fast reads are issued at most; without `write_pace`, writes too."""

    passes: int | None = None
    """How often it is all done."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others. They may come again."""

    processes: int | None = None
    """Processes."""

    random_share: str | float | None = None
    """How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    reads_back: bool | None = None
    """Whether what was written in a pass is read back after it."""

    record: Sizes | dict[str, Any] | None = None
    """Bytes of an access: a size, a range, or sizes with their shares."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come."""

    run: int | None = None
    """Accesses in a row from each random place on."""

    same_passes: bool | None = None
    """With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`)."""

    seed: int | None = None
    """fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's seed."""

    sequence: PlaceSequence | dict[str, Any] | None = None
    """Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`)."""

    shared_files: bool | None = None
    """Whether all processes work on the same files. Of disks they do."""

    skip: str | None = None
    """From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards."""

    starts_after: str | None = None
    """How long each process waits before its first access."""

    strides: Strides | dict[str, Any] | None = None
    """Areas that are gone through one after the other."""

    submitting: Submitting | dict[str, Any] | None = None
    """When and how many are waited for."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    waited for a flush follows.
    """

    think_after: str | None = None
    """How long after it has rested it rests again, whatever the number of accesses."""

    think_by_issue: bool | None = None
    """Whether that is of accesses that are submitted."""

    think_every: int | None = None
    """After how many accesses that are done and taken back each time; 0, whatever their number."""

    think_time: str | None = None
    """How long it rests, with nothing in flight."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    truncates: bool | None = None
    """Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`)."""

    until_steady: SteadyState | dict[str, Any] | None = None
    """It ends when this is steady."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    warm_up: str | None = None
    """For how long at its beginning accesses don't count; `duration` comes after it."""

    write_pace: Pace | dict[str, Any] | None = None
    """How fast writes are issued at most."""

    write_record: Sizes | dict[str, Any] | None = None
    """Those of a write, where they are others."""

    zones: ZoneLog | dict[str, Any] | None = None
    """Zones that are written from their beginning only."""


@dataclass(kw_only=True)
class FileLoad2(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    alignment: str | None = None
    """Random accesses begin at multiples of this. Left out, at multiples of the record, as iozone's and fio's do; less lets them overlap
    (fio's `blockalign`).
    """

    amount: str | None = None
    """Bytes that each process accesses in a pass, rounded up to whole records; instead of `operations`."""

    append: bool | None = None
    """O_APPEND: a write goes to where its file ends when its turn comes, and the file grows by it. Of files that are there (`rewrite`) as
    of new ones.
    """

    barrier: Literal["never", "start", "passes"] | None = None
    """Where processes wait for each other."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes after each access: it keeps a processor of its host busy for so long (fio's `thinktime_spin`)."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable, and what is needed to find them."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache. Record, file size and alignment must be multiples of 512 B."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """Bytes of each file: as long as it is when it is read or overwritten, and as long as it becomes when it is written."""

    files: int | None = None
    """Files of each process."""

    fsync: Durability | dict[str, Any] | None = None
    """When written data are made durable by a call."""

    fsync_call: Literal["fsync", "fdatasync", "msync"] | None = None
    """By which call."""

    interface: Literal["system", "stdio", "mapped"] | None = None
    """By which calls."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    open_close: bool | Literal["each-file"] | None = None
    """Whether a process opens its files (creates them, where they are new) and closes them, as operations of their own: all of them before
    the first access and after the last (true), or each before and after its own ("each-file"). Without, the files are open, and new ones
    are there and empty.
    """

    operation: Literal["read", "write", "rewrite", "mixed"] | None = None
    """What is done at each place."""

    operations: int | None = None
    """Accesses of each process in a pass; beyond the end of its files the pattern begins again. Left out: once through all of its files,
    unless `amount` says how much.
    """

    passes: int | None = None
    """How often it is all done. A second pass finds what the first one left in the cache."""

    pattern: Literal["sequential", "random", "reverse", "strided", "same"] | None = None
    """In which order the places of a file are visited."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others (fio's `random_distribution`). They may come again."""

    processes: int | None = None
    """Processes, each with files of its own."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    record: str | None = None
    """Bytes of one access. The last one of a file is shorter where the file's size is no multiple of it."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come (fio's `norandommap`). Without, a pass visits each place once."""

    share_by_process: bool | None = None
    """`read_share` is one of processes: the first of them only read, the others only overwrite (iozone -i 8)."""

    shared_files: bool | None = None
    """Whether all processes go through the same files, instead of each through its own."""

    starts_within: str | None = None
    """Each process begins its first measured access at a random instant within so long, all equally likely; left out, all begin at once."""

    stride: int | None = None
    """From one record to the next, in records, with `pattern = "strided"`: 2 visits every second record first. Needed there, and only
    there. (iozone -j; its default is 17.)
    """

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable."""

    think_time: DrawOfDuration | dict[str, Any] | None = None
    """How long a process rests after each access, and after computing: a time, or a distribution that it is drawn from, such as `{
    exponential = { mean = "100 ms" } }`. Processes that all rest equally long stay in step.
    """

    timing: Literal["accesses", "with-fsync", "with-close"] | None = None
    """What the measured time includes besides the accesses. A report can show both; this says which one counts."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    warm_up_pass: bool | None = None
    """Whether there is a first pass more, which isn't measured."""


@dataclass(kw_only=True)
class FileLoad3(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    places: dict[str, str] | None = None
    """Directories at the top of the script that lie on other file systems of the same host: { archive = "backup" }. They are there, and a
    file in them is on that file system: `create archive/a`.
    """

    processes: int | None = None
    """Processes that run it, each on files of its own."""

    repeat: int | None = None
    """How often all statements but the declarations of files are run."""

    script: str | None = None
    """The statements, such as `file a 64 KiB; read a 0 4 KiB; write a 0 4 KiB; fsync a`."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FileLoad4(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable, and what is needed to find them."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache. All offsets and lengths must be multiples of 512 B."""

    file: str | None = None
    """The file with the requests."""

    file_size: str | None = None
    """How long each file is when the run begins. Left out, as long as the furthest request reaches."""

    files: list[str] | None = None
    """The same as `file`."""

    format: Literal["columns", "plain", "telemetry", "latency-log"] | None = None
    """Its format; left out, it is told from the content."""

    fsync: Durability | dict[str, Any] | None = None
    """When written data are made durable by a call, besides those in the file. At the end, each process does it to every file that it has
    written.
    """

    fsync_call: Literal["fsync", "fdatasync", "msync"] | None = None
    """By which call."""

    interface: Literal["system", "stdio", "mapped"] | None = None
    """By which calls."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    operation: Literal["read", "write"] | None = None
    """What all requests are, where the file doesn't say (`telemetry` and `latency-log`), and only there."""

    passes: int | None = None
    """How often the requests are played."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable."""

    think_time: str | None = None
    """How long a process computes before a request for which the file doesn't say."""

    timing: Literal["accesses", "with-fsync", "with-close"] | None = None
    """Whether the closing fsync counts; `with-close` is refused, because nothing is closed."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FileLoad5(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    caches: Literal["as-traced", "cold"] | None = None
    """Which files are in memory when it begins."""

    columns: NamedColumns | dict[str, Any] | None = None
    """Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" }; its first line
    has the names. Needs `units`.
    """

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    device_room: str | None = None
    """Of a trace of device requests: the most that the file which stands for a device may take; addresses beyond it wrap round. Left out,
    the file is as long as the highest address needs.
    """

    file: str | None = None
    """The trace file, relative to the scenario's folder. Its format is told from its content."""

    files: list[str] | None = None
    """The same as `file`."""

    format: str | None = None
    """Its format, where the content doesn't tell."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    out_of_range: Literal["allocate", "wrap", "error"] | None = None
    """On a Unix host of 1990, which puts files where the trace saw them: what becomes of that if it saw one beyond the end of its file
    system's device, as on a machine with a larger one.
    """

    places: dict[str, str] | None = None
    """On which other file systems of the same host its files lie, by the beginning of their paths or by the number of the device on which
    the trace saw them: { "/home" = "users", "1026" = "users" }; of several beginnings the longest counts, and paths before devices. All
    others lie on that of the workload itself.
    """

    reads: Literal["all", "missed"] | None = None
    """Which reads are played: all of them, or only those that missed the cache of the machine that was traced (for a Unix host with `reads
    = "missed"`).
    """

    replay: Literal["open", "closed"] | None = None
    """Whether calls keep their times (open), or each follows the end of the one before after its recorded think time (closed)."""

    think_per: Literal["process", "file"] | None = None
    """For whom think times are kept in a closed replay: each process (where the trace knows them), or each file."""

    time_scale: float | None = None
    """Factor on times and think times: 0.5 plays the trace twice as fast."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    units: ColumnUnits | dict[str, Any] | None = None
    """The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FileLoad6(Part):
    """Processes that work on files."""

    access: DrawOfBytes | dict[str, Any] | None = None
    """Bytes of one access, for users of all types, instead of what the specification says."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    compute: DrawOfDuration | dict[str, Any] | None = None
    """Processor time of a program for each call that moves data, for users of all types, instead of what the specification says."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    places: dict[str, str] | None = None
    """The file systems, of the same host, on which the specification's places lie; those left out, on that of the workload itself."""

    sessions: int | None = None
    """How many login sessions each of their processes has."""

    shares: dict[str, float] | None = None
    """How many of the users are of which type, instead of what the specification says; types left out are nobody's."""

    sleep: str | None = None
    """Processor time of going to sleep for a think time, and of waking up: where system calls and signals make that dear."""

    specification: str | None = None
    """The user specification, relative to the scenario's folder."""

    tick: str | None = None
    """Think times end at a tick of a clock, so long after the one before, as those of select(2) and usleep(3) did on Unix hosts that look
    at the clock 50, 60 or 100 times a second; left out, when they are over.
    """

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    users: int | None = None
    """How many users are at work at once."""


@dataclass(kw_only=True)
class FileLoad7(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    compute_scale: float | None = None
    """Computing times are multiplied by this: 2 for processors half as fast as those that the program's times are of."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    hints: Hints | dict[str, Any] | None = None
    """What MPI-IO is told."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    program: ParallelProgram | dict[str, Any] | None = None
    """Which program."""

    ranks: int | None = None
    """Processes of the program, each a rank."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FileLoad8(Part):
    """Processes that work on files."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    below: list[str] | None = None
    """Only files below these folders are on the simulated storage; calls on others take as long as they took. All, where none is named."""

    compute_scale: float | None = None
    """Computing times are multiplied by this, and divided by the `computing_speed` of the host's machine: 2 for processors half as fast as
    those on which it was recorded.
    """

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    more_recordings: list[str] | None = None
    """Recordings of the same program on other numbers of ranks: what it does on further ones follows from two or more."""

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    ranks: int | None = None
    """On how many ranks it runs: as many as one of the recordings has, or another number where all of them follow laws by which that is
    foretold. As many as `recording` has, where it is left out.
    """

    recording: str | None = None
    """The recording: the folder that `petrio record --out` wrote, or the trace in it."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FileSystem(Part):
    """A file system."""

    believed_rate: str | None = None
    """The rate at which the kernel believes its device to write when the run begins, as after long use; left out, 100 MiB/s, as of one that
    it has just found (kernels since 3.2). Writers are held back by it until it is measured anew.
    """

    dirty_limit: str | None = None
    """Dirty data of this file system that nobody may exceed, however much the host may have (`max_bytes` of its device with `strict_limit`;
    kernels since 3.2); left out, only the host's limits hold.
    """

    host: str | None = None
    """The host that mounts it; may be left out where there is only one."""

    on: str | None = None
    """The disk, array, fabric or throttle that it lies on; left out for tmpfs, which lies in memory, and for no other."""

    queue_depth: int | None = None
    """Requests that the device, or each member of an array of the host, is given at a time; left out, as many as it accepts."""

    queue_requests: int | None = None
    """Requests in the queue before others wait (`nr_requests`); left out, the kernel's."""

    scheduler: IoScheduler | dict[str, Any] | None = None
    """The I/O scheduler of the queue before the device: a name, or a table with `kind` and parameters; left out, the kernel's. An array or
    concatenation that the host makes itself has no queue; each of its members has one like this.
    """

    size: str | None = None
    """How much of that it uses; left out, all of it, or half of the host's memory."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    write_back_latency: str | None = None
    """The latency that reads are to keep beside write-back, which is held for it (`wbt_lat_usec`; kernels since 4.10); left out, 75 ms on
    disks and 2 ms on others, and none under bfq. Zero switches that off.
    """

    access_times: Literal["never", "relative", "always"] | None = None
    """When reading a file changes the time of its last access, which changes its inode and has to be committed: `never`, as file servers
    and measurements are usually mounted, unless this says otherwise.
    """

    allocation: Literal["reservation", "multi-block"] | None = None
    """How blocks are found; left out, `reservation` for ext3 and `multi-block` for ext4."""

    barriers: bool | None = None
    """Whether the journal flushes the device's write cache around its commit block (mount option `barrier`). On by default from Linux
    2.6.28 (ext4) and 3.1 (ext3).
    """

    blocks_per_group: int | None = None
    """Blocks in a group; 32768 is what one bitmap block describes."""

    checkpoint: str | float | None = None
    """Share of the journal that must be free, or else checkpoints make it so; left out, the kernel's rule: the room of a largest
    transaction, beside that of the one being committed (fs/jbd2/checkpoint.c), so between a quarter and a half.
    """

    commit_interval: str | None = None
    """How old a transaction becomes before it is committed (mount option `commit`; 5 s by fs/jbd2/journal.c)."""

    dir_index: bool | None = None
    """Whether larger directories are hashed trees (`dir_index`)."""

    discard: bool | None = None
    """Whether the device is told of blocks that files gave back, once the transaction is committed that gave them back (mount option
    `discard`, of ext4's driver). It does nothing where something on the way to the devices takes no discards.
    """

    flex_groups: int | None = None
    """Groups whose bitmaps and inode tables lie together; left out, 16 for ext4 and 1 (none) for ext3."""

    fragment: str | None = None
    """Size of these pieces."""

    fragmentation: str | float | None = None
    """Share of the pieces of a prepared file that don't follow the piece before, but lie anywhere."""

    inode_ratio: str | None = None
    """Bytes of the volume for which mke2fs makes an inode; left out, 16 KiB, and 4 KiB below 512 MiB (mke2fs.conf)."""

    inode_size: str | None = None
    """Bytes of an inode: 256 since mke2fs 1.41, 128 before."""

    journal: Journal | dict[str, Any] | None = None
    """What goes through the journal (mount option `data=`): a word; or a table with that as `mode`, and as `on` the disk, array or other
    part that is the journal, where it lies on a device of its own.
    """

    journal_place: Literal["beginning", "middle"] | None = None
    """Where the journal lies; left out, what mke2fs 1.47 does for the type."""

    journal_size: str | None = None
    """Size of the journal; left out, all of a device of its own, and within the file system what mke2fs chooses by the size of the volume
    (ext2fs_default_journal_size of e2fsprogs 1.47: 4 MiB below 128 MiB, 32 MiB at 1 GiB, 512 MiB at 64 GiB).
    """

    just_mounted: bool | None = None
    """Whether names and inodes of files that are there have to be read when somebody first asks for them, as after a mount; left out, they
    have on ext4 (but of files that are cached), and on ext3 they are in memory, as where others have used them before.
    """

    name_length: int | None = None
    """Bytes of a file's name: how many entries a directory block holds. The operations of a run carry no names."""

    reservation: int | None = None
    """Blocks in the first window that is reserved for a file, doubled while the file uses it up (EXT3_DEFAULT_RESERVE_BLOCKS, 8 by
    include/linux/ext3_fs.h of Linux 2.6.24); 0 for none (mount option `noreservation`).
    """

    type: Literal["ext3", "ext4"] | None = None
    """Which file system: `ext3` or `ext4`, which the keys here are for; or `tmpfs`, in memory, which has `host` and `size` alone."""

    agcount: int | None = None
    """Allocation groups (`mkfs.xfs -d agcount=`); left out, four up to 4 TiB, beyond as large ones as may be."""

    allocsize: str | None = None
    """What is allocated ahead of a file that grows (mount option `allocsize`); left out, as much as the file has already."""

    log: str | None = None
    """The disk, array or other part that is the log (`mkfs.xfs -l logdev=`); left out, it lies in the middle group."""

    log_size: str | None = None
    """Size of the log (`mkfs.xfs -l size=`); left out, 64 MiB, or a 2,048th of the file system where that is more."""

    logbsize: str | None = None
    """Size of each log buffer (mount option `logbsize`)."""

    logbufs: int | None = None
    """Log buffers (mount option `logbufs`)."""


@dataclass(kw_only=True)
class FileSystemParameters(Part):
    """How an ext3 or ext4 file system was made and is mounted."""

    access_times: Literal["never", "relative", "always"] | None = None
    """When reading a file changes the time of its last access, which changes its inode and has to be committed: `never`, as file servers
    and measurements are usually mounted, unless this says otherwise.
    """

    allocation: Literal["reservation", "multi-block"] | None = None
    """How blocks are found; left out, `reservation` for ext3 and `multi-block` for ext4."""

    barriers: bool | None = None
    """Whether the journal flushes the device's write cache around its commit block (mount option `barrier`). On by default from Linux
    2.6.28 (ext4) and 3.1 (ext3).
    """

    blocks_per_group: int | None = None
    """Blocks in a group; 32768 is what one bitmap block describes."""

    checkpoint: str | float | None = None
    """Share of the journal that must be free, or else checkpoints make it so; left out, the kernel's rule: the room of a largest
    transaction, beside that of the one being committed (fs/jbd2/checkpoint.c), so between a quarter and a half.
    """

    commit_interval: str | None = None
    """How old a transaction becomes before it is committed (mount option `commit`; 5 s by fs/jbd2/journal.c)."""

    dir_index: bool | None = None
    """Whether larger directories are hashed trees (`dir_index`)."""

    discard: bool | None = None
    """Whether the device is told of blocks that files gave back, once the transaction is committed that gave them back (mount option
    `discard`, of ext4's driver). It does nothing where something on the way to the devices takes no discards.
    """

    flex_groups: int | None = None
    """Groups whose bitmaps and inode tables lie together; left out, 16 for ext4 and 1 (none) for ext3."""

    fragment: str | None = None
    """Size of these pieces."""

    fragmentation: str | float | None = None
    """Share of the pieces of a prepared file that don't follow the piece before, but lie anywhere."""

    inode_ratio: str | None = None
    """Bytes of the volume for which mke2fs makes an inode; left out, 16 KiB, and 4 KiB below 512 MiB (mke2fs.conf)."""

    inode_size: str | None = None
    """Bytes of an inode: 256 since mke2fs 1.41, 128 before."""

    journal: Journal | dict[str, Any] | None = None
    """What goes through the journal (mount option `data=`): a word; or a table with that as `mode`, and as `on` the disk, array or other
    part that is the journal, where it lies on a device of its own.
    """

    journal_place: Literal["beginning", "middle"] | None = None
    """Where the journal lies; left out, what mke2fs 1.47 does for the type."""

    journal_size: str | None = None
    """Size of the journal; left out, all of a device of its own, and within the file system what mke2fs chooses by the size of the volume
    (ext2fs_default_journal_size of e2fsprogs 1.47: 4 MiB below 128 MiB, 32 MiB at 1 GiB, 512 MiB at 64 GiB).
    """

    just_mounted: bool | None = None
    """Whether names and inodes of files that are there have to be read when somebody first asks for them, as after a mount; left out, they
    have on ext4 (but of files that are cached), and on ext3 they are in memory, as where others have used them before.
    """

    name_length: int | None = None
    """Bytes of a file's name: how many entries a directory block holds. The operations of a run carry no names."""

    reservation: int | None = None
    """Blocks in the first window that is reserved for a file, doubled while the file uses it up (EXT3_DEFAULT_RESERVE_BLOCKS, 8 by
    include/linux/ext3_fs.h of Linux 2.6.24); 0 for none (mount option `noreservation`).
    """

    type: Literal["ext3", "ext4"] | None = None
    """Which file system: `ext3` or `ext4`, which the keys here are for; or `tmpfs`, in memory, which has `host` and `size` alone."""


@dataclass(kw_only=True)
class FileTraceWorkload(Part):
    """Recorded requests to files, played back by as many processes as the record names."""

    kind: Literal["file-trace"] = "file-trace"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable, and what is needed to find them."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache. All offsets and lengths must be multiples of 512 B."""

    file: str | None = None
    """The file with the requests."""

    file_size: str | None = None
    """How long each file is when the run begins. Left out, as long as the furthest request reaches."""

    files: list[str] | None = None
    """The same as `file`."""

    format: Literal["columns", "plain", "telemetry", "latency-log"] | None = None
    """Its format; left out, it is told from the content."""

    fsync: Durability | dict[str, Any] | None = None
    """When written data are made durable by a call, besides those in the file. At the end, each process does it to every file that it has
    written.
    """

    fsync_call: Literal["fsync", "fdatasync", "msync"] | None = None
    """By which call."""

    interface: Literal["system", "stdio", "mapped"] | None = None
    """By which calls."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    operation: Literal["read", "write"] | None = None
    """What all requests are, where the file doesn't say (`telemetry` and `latency-log`), and only there."""

    passes: int | None = None
    """How often the requests are played."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable."""

    think_time: str | None = None
    """How long a process computes before a request for which the file doesn't say."""

    timing: Literal["accesses", "with-fsync", "with-close"] | None = None
    """Whether the closing fsync counts; `with-close` is refused, because nothing is closed."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """


@dataclass(kw_only=True)
class FilesWorkload(Part):
    """Processes that go through files by a pattern, as iozone and fio do."""

    kind: Literal["files"] = "files"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    alignment: str | None = None
    """Random accesses begin at multiples of this. Left out, at multiples of the record, as iozone's and fio's do; less lets them overlap
    (fio's `blockalign`).
    """

    amount: str | None = None
    """Bytes that each process accesses in a pass, rounded up to whole records; instead of `operations`."""

    append: bool | None = None
    """O_APPEND: a write goes to where its file ends when its turn comes, and the file grows by it. Of files that are there (`rewrite`) as
    of new ones.
    """

    barrier: Literal["never", "start", "passes"] | None = None
    """Where processes wait for each other."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes after each access: it keeps a processor of its host busy for so long (fio's `thinktime_spin`)."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable, and what is needed to find them."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache. Record, file size and alignment must be multiples of 512 B."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """Bytes of each file: as long as it is when it is read or overwritten, and as long as it becomes when it is written."""

    files: int | None = None
    """Files of each process."""

    fsync: Durability | dict[str, Any] | None = None
    """When written data are made durable by a call."""

    fsync_call: Literal["fsync", "fdatasync", "msync"] | None = None
    """By which call."""

    interface: Literal["system", "stdio", "mapped"] | None = None
    """By which calls."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    open_close: bool | Literal["each-file"] | None = None
    """Whether a process opens its files (creates them, where they are new) and closes them, as operations of their own: all of them before
    the first access and after the last (true), or each before and after its own ("each-file"). Without, the files are open, and new ones
    are there and empty.
    """

    operation: Literal["read", "write", "rewrite", "mixed"] | None = None
    """What is done at each place."""

    operations: int | None = None
    """Accesses of each process in a pass; beyond the end of its files the pattern begins again. Left out: once through all of its files,
    unless `amount` says how much.
    """

    passes: int | None = None
    """How often it is all done. A second pass finds what the first one left in the cache."""

    pattern: Literal["sequential", "random", "reverse", "strided", "same"] | None = None
    """In which order the places of a file are visited."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others (fio's `random_distribution`). They may come again."""

    processes: int | None = None
    """Processes, each with files of its own."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    record: str | None = None
    """Bytes of one access. The last one of a file is shorter where the file's size is no multiple of it."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come (fio's `norandommap`). Without, a pass visits each place once."""

    share_by_process: bool | None = None
    """`read_share` is one of processes: the first of them only read, the others only overwrite (iozone -i 8)."""

    shared_files: bool | None = None
    """Whether all processes go through the same files, instead of each through its own."""

    starts_within: str | None = None
    """Each process begins its first measured access at a random instant within so long, all equally likely; left out, all begin at once."""

    stride: int | None = None
    """From one record to the next, in records, with `pattern = "strided"`: 2 visits every second record first. Needed there, and only
    there. (iozone -j; its default is 17.)
    """

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable."""

    think_time: DrawOfDuration | dict[str, Any] | None = None
    """How long a process rests after each access, and after computing: a time, or a distribution that it is drawn from, such as `{
    exponential = { mean = "100 ms" } }`. Processes that all rest equally long stay in step.
    """

    timing: Literal["accesses", "with-fsync", "with-close"] | None = None
    """What the measured time includes besides the accesses. A report can show both; this says which one counts."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    warm_up_pass: bool | None = None
    """Whether there is a first pass more, which isn't measured."""


@dataclass(kw_only=True)
class FioWorkload(Part):
    """The jobs of a fio job file, or of a script with fio's command lines. A job on files becomes a workload of kind `accesses`, one on
    /dev/… one of kind `device-accesses`; those behind a `stonewall` run when those before are over. Keys of these kinds that stand here,
    too, come on top.
    """

    kind: Literal["fio"] = "fio"

    file: str | None = None
    """The job file, relative to the scenario's folder."""

    files: list[str] | None = None
    """The same as `file`."""

    jobs: str | list[str] | None = None
    """Which of its jobs, by name or pattern; left out, all of them."""

    on: str | list[str] | None = None
    """The file systems that jobs on files work on, or the disks that jobs on devices ask."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class FlowShare(Part):
    """A process' share among others."""

    group: int | None = None
    """The group (fio's `flow_id`): of workloads on files, and of those on disks."""

    rest: str | None = None
    """How long a process that is ahead rests, with nothing in flight (`flow_sleep`); 0: it looks again and again."""

    weight: int | None = None
    """Of all accesses of the group each process issues as many as its weight is of all weights."""


@dataclass(kw_only=True)
class FramingParameters(Part):
    """How data are cut into frames, as it is written; what is left out is as the transport has it."""

    frame_overhead: str | None = None
    """Bytes that a frame takes beside its packet: on Ethernet 38, which are header 14, checksum 4, preamble 8 and gap 12 (IEEE 802.3)."""

    mtu: str | None = None
    """Bytes of the largest packet, its headers included (MTU)."""

    packet_headers: str | None = None
    """Bytes of headers in each packet: 52 for IPv4 and TCP with time stamps (RFC 791, RFC 9293, RFC 7323), 40 without."""


@dataclass(kw_only=True)
class GammaStage(Part):
    """One stage of a multi-stage gamma distribution. Its mean is `offset + shape × scale`."""

    offset: str | None = None
    """What is added; nothing if left out."""

    scale: str | None = None
    """The scale."""

    shape: float | None = None
    """The shape."""

    weight: float | None = None
    """How likely it is, beside the other stages' weights."""


@dataclass(kw_only=True)
class GammaStage2(Part):
    """One stage of a multi-stage gamma distribution. Its mean is `offset + shape × scale`."""

    offset: str | None = None
    """What is added; nothing if left out."""

    scale: str | None = None
    """The scale."""

    shape: float | None = None
    """The shape."""

    weight: float | None = None
    """How likely it is, beside the other stages' weights."""


@dataclass(kw_only=True)
class GammaStage3(Part):
    """One stage of a multi-stage gamma distribution. Its mean is `offset + shape × scale`."""

    offset: str | None = None
    """What is added; nothing if left out."""

    scale: str | None = None
    """The scale."""

    shape: float | None = None
    """The shape."""

    weight: float | None = None
    """How likely it is, beside the other stages' weights."""


@dataclass(kw_only=True)
class GammaStage4(Part):
    """One stage of a multi-stage gamma distribution. Its mean is `offset + shape × scale`."""

    offset: str | None = None
    """What is added; nothing if left out."""

    scale: str | None = None
    """The scale."""

    shape: float | None = None
    """The shape."""

    weight: float | None = None
    """How likely it is, beside the other stages' weights."""


@dataclass(kw_only=True)
class GammaStages(Part):
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    offset: str | None = None
    """The offset of a single stage; nothing if left out."""

    scale: str | None = None
    """The scale of a single stage."""

    shape: float | None = None
    """The shape of a single stage."""

    stages: list[GammaStage | dict[str, Any]] | None = None
    """The stages; left out where a single one is written flat."""


@dataclass(kw_only=True)
class GammaStages2(Part):
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    offset: str | None = None
    """The offset of a single stage; nothing if left out."""

    scale: str | None = None
    """The scale of a single stage."""

    shape: float | None = None
    """The shape of a single stage."""

    stages: list[GammaStage2 | dict[str, Any]] | None = None
    """The stages; left out where a single one is written flat."""


@dataclass(kw_only=True)
class GammaStages3(Part):
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    offset: str | None = None
    """The offset of a single stage; nothing if left out."""

    scale: str | None = None
    """The scale of a single stage."""

    shape: float | None = None
    """The shape of a single stage."""

    stages: list[GammaStage3 | dict[str, Any]] | None = None
    """The stages; left out where a single one is written flat."""


@dataclass(kw_only=True)
class GammaStages4(Part):
    """The stages of a multi-stage gamma distribution. A single stage may be written flat: `{ shape = 2, scale = "1 KiB" }`."""

    offset: str | None = None
    """The offset of a single stage; nothing if left out."""

    scale: str | None = None
    """The scale of a single stage."""

    shape: float | None = None
    """The shape of a single stage."""

    stages: list[GammaStage4 | dict[str, Any]] | None = None
    """The stages; left out where a single one is written flat."""


@dataclass(kw_only=True)
class Generator(Part):
    """One generator: a process that thinks, issues a request, and thinks again."""

    alignment: str | None = None
    """Addresses and lengths are multiples of this (DiskSim: blocking factor)."""

    capacity: str | None = None
    """How much of each device it uses, from the first block on. Whoever builds the System fills it in where it is left out."""

    devices: list[int] | None = None
    """The devices that it asks, by their numbers in the System; each request that is neither sequential nor local chooses one, all equally
    likely.
    """

    inter_arrival: DrawOfDuration | dict[str, Any] | None = None
    """How long it thinks before a request that is neither sequential nor local. Negative draws are drawn again."""

    local_distance: DrawOfSignedBlocks | dict[str, Any] | None = None
    """From the beginning of the request before to that of a local request; needed where `local_fraction` isn't 0. Draws that lead off the
    device are drawn again.
    """

    local_fraction: str | float | None = None
    """How many of the requests begin near the beginning of the one before."""

    local_inter_arrival: DrawOfDuration | dict[str, Any] | None = None
    """How long it thinks before a local request; left out: as before any other."""

    popularity: Popularity | dict[str, Any] | None = None
    """Places that are asked for more often than others by requests that are neither sequential nor local (fio's `random_distribution`).
    Left out: all are equally likely.
    """

    read_fraction: str | float | None = None
    """How many of the requests are reads; a sequential one is what the request before it was."""

    sequential_fraction: str | float | None = None
    """How many of the requests begin where the one before ended, with its length and direction."""

    sequential_inter_arrival: DrawOfDuration | dict[str, Any] | None = None
    """How long it thinks before a sequential request; left out: as before any other."""

    size: DrawOfBlocks | dict[str, Any] | None = None
    """Lengths, rounded up to the alignment. Draws below one block, and those that don't fit on the device, are drawn again."""

    time_critical_fraction: str | float | None = None
    """How many of the requests are time-critical: the generator waits for them before it thinks on. With 1 the generator is closed, with 0
    it is open.
    """

    time_limit: DrawOfDuration | dict[str, Any] | None = None
    """The time limit; needed where `time_limited_fraction` isn't 0."""

    time_limited_fraction: str | float | None = None
    """How many of the requests are time-limited: the generator thinks on for a time limit, and then waits if the request hasn't completed."""


@dataclass(kw_only=True)
class Hints(Part):
    """What MPI-IO is told of how to read and write (MPI_Info; ROMIO's names and, left out, its defaults)."""

    aggregators_per_host: int | None = None
    """Such ranks on each host (`cb_config_list`: 1 is "*:1", ROMIO's default)."""

    cb_buffer_size: str | None = None
    """Bytes that each of them reads or writes at a time."""

    cb_nodes: int | None = None
    """Ranks that read and write for all in collective access. Left out: as many as `aggregators_per_host` gives on all hosts together."""

    ind_rd_buffer_size: str | None = None
    """Bytes of such a read."""

    ind_wr_buffer_size: str | None = None
    """Bytes of such a write."""

    romio_cb_read: Literal["automatic", "enable", "disable"] | None = None
    """Collective reads through aggregators: automatic where the ranks' pieces lie among each other."""

    romio_cb_write: Literal["automatic", "enable", "disable"] | None = None
    """Collective writes through aggregators: automatic where the ranks' pieces lie among each other."""

    romio_ds_read: Literal["automatic", "enable", "disable"] | None = None
    """Reads of many pieces by one rank as reads of all between them; automatic does."""

    romio_ds_write: Literal["automatic", "enable", "disable"] | None = None
    """Writes of many pieces by one rank as reads and writes of all between them; automatic does."""

    striping_unit: str | None = None
    """Aggregators' parts of a file begin at multiples of this. Left out, they don't."""


@dataclass(kw_only=True)
class Host(Part):
    """A machine under a kernel."""

    anonymous: str | None = None
    """Processes' own pages, which compete with the page cache for memory."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    change: Change | dict[str, Any] | None = None
    """Figures of the machine and of the kernel that differ from the catalogue's: change.machine.calls.read = "2 us",
    change.kernel.write_back.expire = "5 s".
    """

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    dirty_background: str | None = None
    """Dirty data at which the flusher begins to write (`dirty_background_bytes`); left out, the kernel's share of memory."""

    dirty_limit: str | None = None
    """Dirty data that nobody may exceed (`dirty_bytes`); left out, the kernel's share of memory."""

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    kernel: str | None = None
    """How the kernel behaves: a kernel of the catalogue ("linux-6.18"; `petrio catalogue list kernels` names them all), or a file of your
    own in the same form.
    """

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    machine: str | None = None
    """What calls, page-cache work and copies cost: a machine of the catalogue ("poweredge-1850"; `petrio catalogue list machines` names
    them all), or a file of your own in the same form ("my-machine.toml", relative to the scenario's folder).
    """

    memory: str | None = None
    """Memory for the page cache and the processes' own pages; left out, all that the machine has. Less stands for a memory limit, like that
    of a cgroup; more for modules that were added.
    """

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    read_ahead: str | None = None
    """The largest window of read-ahead (`read_ahead_kb`) of all its devices; left out, the kernel's for each: of linux-6.18 twice the
    largest request for what turns, and of all kernels two stripes for an array that the host makes.
    """

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    swap: str | None = None
    """Swap space for these pages, at the end of the first file system's device; without any they stay in memory."""

    swappiness: int | None = None
    """How readily processes' pages are swapped out rather than files' dropped, 0 to 200 (`vm.swappiness`)."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class HostCostsParameters(Part):
    """What messages cost the hosts that send and receive them (LogGP's o and G; Alexandrov et al. 1995), as it is written. It is time of
    the hosts' own processors, which their programs share. What is left out is as the transport has it.
    """

    receive: str | None = None
    """For each message that is received."""

    receive_kib: str | None = None
    """For each KiB that is received."""

    send: str | None = None
    """For each message that is sent."""

    send_kib: str | None = None
    """For each KiB that is sent."""


@dataclass(kw_only=True)
class HubTable(Part):
    """One half-duplex medium for all."""

    kind: Literal["hub"] = "hub"


@dataclass(kw_only=True)
class InstanceLimits(Part):
    """What an instance may ask of its volumes, reads and writes together."""

    burst: str | None = None
    """How long full buckets bear these."""

    burst_iops: float | None = None
    """I/Os a second in a burst."""

    burst_throughput: str | None = None
    """Bytes a second in a burst."""

    credits: str | float | None = None
    """How full its buckets are when a run begins."""

    iops: float | None = None
    """I/Os a second, for good."""

    piece: str | None = None
    """Bytes of an access that count as one I/O; a longer one counts as many as it has pieces of that. Left out, any access is one."""

    throughput: str | None = None
    """Bytes a second, for good."""


@dataclass(kw_only=True)
class Io500ParallelProgram(Part):
    """The IO500 set of IOR and mdtest."""

    kind: Literal["io500"] = "io500"

    ior_easy_api: str | None = None
    """By which interface ior-easy accesses its files: "POSIX" or "MPIIO", as IOR's -a has it."""

    ior_easy_block: str | None = None
    """Bytes that each rank writes in ior-easy: a multiple of `ior_easy_transfer`."""

    ior_easy_file_per_process: bool | None = None
    """Whether each rank has a file of its own in ior-easy."""

    ior_easy_transfer: str | None = None
    """Bytes of a transfer in ior-easy (the rules leave it free; 2 MiB is the program's default)."""

    ior_hard_api: str | None = None
    """By which interface ior-hard accesses its file."""

    ior_hard_collective: bool | None = None
    """Whether ior-hard's accesses are of all ranks together, which "MPIIO" can do."""

    ior_hard_segments: int | None = None
    """Segments of ior-hard: pieces of 47,008 B that each rank writes."""

    left_out: list[str] | None = None
    """Phases that aren't run, by their names: "find", "mdtest-hard-read" …"""

    mdtest_easy_files: int | None = None
    """Files of each rank in mdtest-easy."""

    mdtest_hard_files: int | None = None
    """Files of each rank in mdtest-hard."""

    stonewall: str | None = None
    """After how many whole seconds each writing phase ends, once all ranks have done as much as the first: 300 s by the rules. Where the
    amounts above are done earlier, they end it.
    """


@dataclass(kw_only=True)
class IoScheduler(Part):
    """An I/O scheduler: its name, or a table with its kind and parameters"""

    kind: Literal["noop", "deadline", "mq-deadline", "anticipatory", "cfq", "bfq", "kyber"] | None = None

    fifo_batch: int | None = None
    """Requests in a batch (`fifo_batch`; 16)."""

    front_merges: bool | None = None
    """Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1)."""

    read_expire: str | None = None
    """How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in deadline-iosched.c)."""

    write_expire: str | None = None
    """How long a write may wait, likewise (`write_expire`; 5·HZ)."""

    writes_starved: int | None = None
    """How many batches of reads may pass writes that wait (`writes_starved`; 2)."""

    prio_aging_expire: str | None = None
    """How long requests of a lower I/O class wait behind those of a higher one (`prio_aging_expire`; 10·HZ)."""

    antic_expire: str | None = None
    """How long a process' next read is waited for (`antic_expire`; HZ/150). Zero switches anticipation off."""

    back_seek_max: str | None = None
    """The furthest that the head goes back within a sweep (MAXBACK; 1,048,576 blocks)."""

    back_seek_penalty: int | None = None
    """How much longer a way back counts than the same way forward (BACK_PENALTY; 2)."""

    first_write_batch: int | None = None
    """Most writes in the first batch; later ones are as large as fits `write_batch_expire` (as_init_queue: 12 at 1,000 Hz)."""

    read_batch_expire: str | None = None
    """How long reads go on while writes wait (`read_batch_expire`; HZ/2)."""

    think_time_max: str | None = None
    """Longer think times count as this one (MAX_THINKTIME; HZ/50)."""

    write_batch_expire: str | None = None
    """How long writes go on while reads wait (`write_batch_expire`; HZ/8)."""

    fifo_expire_async: str | None = None
    """How long one that nobody waits for may wait, likewise (`fifo_expire_async`; HZ/4)."""

    fifo_expire_sync: str | None = None
    """How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; HZ/8)."""

    quantum: int | None = None
    """Most requests of a queue that are dispatched at a time (`quantum`). Left out: 4, and 8 with service trees."""

    real_time_preempts: bool | None = None
    """Whether a real-time request ends the slice of another class, as it always does with service trees. 2.6.24 lets it come to its end."""

    service_trees: bool | None = None
    """Whether queues stand in trees by kind of work, and idling follows from how many do. Left out: as the kernel does it (from 2.6.33 on;
    `block.service_trees` of its profile).
    """

    slice_async: str | None = None
    """The slice of a shared queue, likewise (`slice_async`; HZ/25)."""

    slice_async_rq: int | None = None
    """Requests of a shared queue in a slice: twice this at priority 7, and as many more for each priority above (`slice_async_rq`; 2)."""

    slice_idle: str | None = None
    """How long a process' next request is waited for (`slice_idle`; HZ/125). Zero switches idling off."""

    slice_sync: str | None = None
    """The slice of a process' queue at priority 4 (`slice_sync`; HZ/10); a fifth more or less for each priority."""

    target_latency: str | None = None
    """In which time every process gets a turn: slices become shorter for it (`target_latency`). Zero leaves them as they are. Left out:
    zero, and 300 ms with service trees.
    """

    async_charge_factor: int | None = None
    """How much more what nobody waits for is charged (bfq_async_charge_factor; 3), unless shares differ."""

    low_latency: bool | None = None
    """Whether processes that have just begun to ask, or ask for little at a time, weigh 30 and 3,000 times as much for a while
    (`low_latency`; 1).
    """

    max_budget: str | None = None
    """The most that a queue is served in a turn (`max_budget`; 0). Zero: 16,384 blocks at first, and then what the device has been seen to
    serve at its best in the time of a turn.
    """

    strict_guarantees: bool | None = None
    """Whether shares are kept at any price: one request at a time, and always idling (`strict_guarantees`; 0)."""

    timeout: str | None = None
    """How long a turn lasts at most (`timeout_sync`; HZ/8)."""

    discard_depth: int | None = None
    """Most discards in flight (kyber_depth; 64). At least one is let through."""

    read_batch: int | None = None
    """Reads in a batch (kyber_batch_size; 16)."""

    read_depth: int | None = None
    """Most reads in flight (kyber_depth; 256). At least one is let through."""

    read_target: str | None = None
    """The latency that reads should keep (`read_lat_nsec`; 2 ms in kyber-iosched.c)."""

    write_batch: int | None = None
    """Writes in a batch (kyber_batch_size; 8)."""

    write_depth: int | None = None
    """Most writes in flight (kyber_depth; 128). At least one is let through."""

    write_target: str | None = None
    """The latency that writes should keep (`write_lat_nsec`; 10 ms)."""


@dataclass(kw_only=True)
class IorParallelProgram(Part):
    """IOR, by its command line."""

    kind: Literal["ior"] = "ior"

    command: str | None = None
    """The command line, such as "ior -a MPIIO -b 16m -t 1m -s 4 -c" or "mpirun -np 4 ior -t=1m". Options: -a POSIX|MPIIO, -b block, -t
    transfer, -s segments, -F a file a rank, -u in a directory of its own, -m another one in each repetition, -c collective, -w only
    write, -W read it once more to compare it (alone it only does that), -r only read, -C and -Q other ranks' data are read, -z transfers
    of a block in random order, or in one file for all those of all blocks, each by a rank that is drawn, -e fsync after writing, -Y
    fsync after each write, -i repetitions, -d seconds before writing and reading, -k keep the file, -E write into the file that is
    there, -g wait for all before and after accesses, -D seconds after which a rank stops writing, or reading, -O stoneWallingWearOut=1
    all go on then until they have done as much as the first, -O stoneWallingWearOutIterations=N transfers after which a rank stops, -T
    minutes after which no further writing or reading begins, -O useO_DIRECT=1 and other directives by name, with commas between. Sizes
    take k, m, g, t (powers of 1024). What changes no access (-G, -R with -r, --dataPacketType, -o, -O summaryFormat=JSON, …) is accepted
    and does nothing.
    """


@dataclass(kw_only=True)
class Journal(Part):
    """What goes through the journal, or a table that also says where it lies"""

    mode: Literal["ordered", "write-back", "journal"] | None = None
    """What goes through the journal; left out, metadata (`ordered`)."""

    on: str | None = None
    """The disk, array or another part that holds blocks which is the journal; left out, the journal lies within the file system."""


@dataclass(kw_only=True)
class JournalParameters(Part):
    """A journal on a device of its own (`mdadm --write-journal`): the last of those that the array lies on."""

    mode: Literal["write-through", "write-back"] | None = None
    """When the members get what the journal has (`journal_mode`)."""


@dataclass(kw_only=True)
class KyberTable2(Part):
    """As many reads and writes in flight as keep their target latencies."""

    kind: Literal["kyber"] = "kyber"

    discard_depth: int | None = None
    """Most discards in flight (kyber_depth; 64). At least one is let through."""

    read_batch: int | None = None
    """Reads in a batch (kyber_batch_size; 16)."""

    read_depth: int | None = None
    """Most reads in flight (kyber_depth; 256). At least one is let through."""

    read_target: str | None = None
    """The latency that reads should keep (`read_lat_nsec`; 2 ms in kyber-iosched.c)."""

    write_batch: int | None = None
    """Writes in a batch (kyber_batch_size; 8)."""

    write_depth: int | None = None
    """Most writes in flight (kyber_depth; 128). At least one is let through."""

    write_target: str | None = None
    """The latency that writes should keep (`write_lat_nsec`; 10 ms)."""


@dataclass(kw_only=True)
class LaneWeight(Part):
    """A lane in a table."""

    lane: int | None = None
    """The lane, as service levels choose it."""

    weight: int | None = None
    """What it may send in a turn, in units of 64 bytes."""


@dataclass(kw_only=True)
class LatencyTarget(Part):
    """How long accesses may take; as many are in flight as that allows."""

    keeps_on: bool | None = None
    """Whether it goes on at the depth that was found."""

    latency: str | None = None
    """From submission to completion."""

    share: str | float | None = None
    """So many of the accesses have to be in time; left out, all."""

    window: str | None = None
    """So long each depth is tried."""


@dataclass(kw_only=True)
class LayoutComponent(Part):
    """A range of each file that is striped in one way, as `lfs setstripe -E` makes it."""

    dom: bool | None = None
    """Whether it lies on the metadata target (`-L mdt`): of the first one."""

    end: str | None = None
    """Where it ends, from the file's beginning on (`-E`): a multiple of 64 KiB. Left out, it has all that follows: of the last one."""

    stripe_count: int | None = None
    """Stripes side by side (`-c`); -1: on all OSTs. Left out, those of the file system."""

    stripe_size: str | None = None
    """Bytes of a stripe (`-S`). Left out, those of the file system."""


@dataclass(kw_only=True)
class LimitOn(Part):
    """What a pace is of."""

    _keys = {"per_second": "per-second"}

    bytes: str | None = None
    """A data rate with its unit, such as "100 MB/s" """

    per_second: float | None = None


@dataclass(kw_only=True)
class LinkParameters(Part):
    """A full-duplex link between two hosts or switches."""

    between: list[str] | None = None
    """Names of the hosts or switches at its ends. In a scenario one of the two may stand for several hosts (`client*`, or `client` where
    hosts are counted), and the link is one for each of them.
    """

    lanes: int | None = None
    """Lanes that work as one link of so many times the rate (InfiniBand's 4X has 4)."""

    latency: str | None = None
    """Time that a bit travels; left out, that of other links of its kind. Of ways with equally many links messages take the one whose own
    latencies are lowest together.
    """

    rate: str | None = None
    """Rate of each direction; left out, that of other links of its kind."""


@dataclass(kw_only=True)
class LinkParameters2(Part):
    """A link between a host and a switch, or between two switches."""

    bucket: str | None = None
    """A link whose rate a token bucket limits, as Linux's tbf does: so many bytes pass at once after a rest. Left out, it is a wire."""

    buffer: str | None = None
    """At the level of packets, bytes of frames (as they take them of the wire) that may wait before a link that leaves a switch: who comes
    then is dropped. Left out, any number.
    """

    credits: str | None = None
    """Bytes of frames that there is room for at its end: nobody sends what there is no room for, and nothing is lost (credits of
    InfiniBand, of Fibre Channel between buffers; Ethernet's pause). Left out, any number.
    """

    duplex: Literal["full", "half"] | None = None
    """Whether both directions can be used at once."""

    latency: str | None = None
    """From the end of a link to the other, with what the switch or adapter behind it takes to pass a frame on."""

    rate: str | None = None
    """Bits or bytes a second in each direction, headers of frames included."""

    turns: Literal["connections", "arrivals"] | None = None
    """Whose turn it is when trains wait for it."""


@dataclass(kw_only=True)
class LinksTable(Part):
    """Links one by one."""

    kind: Literal["links"] = "links"

    links: list[LinkParameters | dict[str, Any]] | None = None
    """The links; what they connect and is no host is a switch."""


@dataclass(kw_only=True)
class Locks(Part):
    """The locks by which hosts keep what they have of files alike."""

    granularity: Literal["range", "file"] | None = None
    """What a lock is of: ranges of a file's blocks, or whole files."""

    keep: bool | None = None
    """Whether a lock stays with its host until another wants it; otherwise it goes back when a call is over, and the data that were written
    under it are on the disks before, and where locks are of whole files the inode is, too.
    """

    manager: str | None = None
    """The host that grants them; left out, the first of those that mount the file system."""

    network: str | None = None
    """The network on which hosts and manager speak of them; left out, that of the disks."""

    work: str | None = None
    """The manager's work on each message, as time of its host's processors."""


@dataclass(kw_only=True)
class LookQueueDiscipline(Part):
    """The arm sweeps to and fro and turns where no command lies ahead."""

    kind: Literal["look"] = "look"


@dataclass(kw_only=True)
class Lustre(Part):
    """A Lustre: files lie in stripes on the object storage targets, names on the metadata targets, and what clients have in their page
    caches locks let them keep.
    """

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to `client*/NAME`."""

    costs: LustreCosts | dict[str, Any] | None = None
    """What else costs time of processors."""

    credits: int | None = None
    """Messages of an end that are on their way (`credits` of its network)."""

    grant: str | None = None
    """What a client may write to an OST before the OST has had to give it room. Left out, what may be dirty and what is on its way."""

    layout: list[LayoutComponent | dict[str, Any]] | None = None
    """Components of a progressive layout, in the order of their ends. Left out, there is one for all of each file."""

    max_dirty_mb: int | None = None
    """MiB that a client may have dirty of an OST: at least what its RPCs in flight carry (`client_adjust_max_dirty`)."""

    max_mod_rpcs_in_flight: int | None = None
    """Those of them that change metadata. Left out, one less."""

    max_pages_per_rpc: int | None = None
    """Pages of 4 KiB of an RPC that moves data: 1024 since 2.12 (`PTLRPC_MAX_BRW_SIZE`, 4 MiB), 256 before."""

    max_read_ahead_per_file: str | None = None
    """The largest window of read-ahead of a file (`max_read_ahead_per_file_mb`, `SBI_DEFAULT_READ_AHEAD_PER_FILE_MAX`)."""

    max_rpcs_in_flight: int | None = None
    """RPCs that a client has on their way to a target."""

    mds_threads: int | None = None
    """Threads of a metadata server."""

    mdt_count: int | None = None
    """Over how many of its MDTs directories are spread, by turns (`lfs setdirstripe`). Left out, over all."""

    mdts: str | list[str] | None = None
    """The file systems of hosts that are its metadata targets, such as `mds/mdt`, in their order: ext4, as ldiskfs is. Their hosts are its
    metadata servers.
    """

    network: str | None = None
    """The network between its clients and servers; may be left out where there is only one."""

    oss_threads: int | None = None
    """Threads of an object storage server."""

    osts: str | list[str] | None = None
    """Those that are its object storage targets, such as `oss*/ost*`, in their order: ext4. Their hosts are its object storage servers."""

    peer_credits: int | None = None
    """Those of them to one other end (`peer_credits`)."""

    precreate: int | None = None
    """Objects that a metadata target has an OST make ahead at a time (`OST_MIN_PRECREATE`)."""

    short_io: str | None = None
    """Data of at most so many bytes go with their request, or with their reply (`short_io_bytes`)."""

    statahead_max: int | None = None
    """Attributes that are asked for ahead (`statahead_max`, `LL_SA_RPC_DEF`); 0: none."""

    stripe_count: int | None = None
    """Stripes of a file side by side; -1: on all OSTs."""

    stripe_size: str | None = None
    """Bytes of a stripe: a multiple of 64 KiB."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class LustreCosts(Part):
    """What work costs, as time of the processors of the host that does it; copies apart, which cost a client and a server's file system
    what their machines say. Left out, as of NFS (`NfsCosts`): both are RPCs between kernels.
    """

    message: str | None = None
    """A message that an end sends: a request, a reply, a callback."""

    serve: str | None = None
    """A request that a server's thread does."""


@dataclass(kw_only=True)
class MasterProtocol(Part):
    """A write goes to the master copy, and from there to all others; writes of a file wait for each other. Copies that haven't got it yet
    aren't read where it wrote.
    """

    kind: Literal["master"] = "master"


@dataclass(kw_only=True)
class MdtestParallelProgram(Part):
    """mdtest, by its command line."""

    kind: Literal["mdtest"] = "mdtest"

    command: str | None = None
    """The command line, such as "mdtest -n 1000 -u -F -w 3901 -e 3901". Options: -n items a rank, -I items a directory of the tree instead,
    -z levels, -b branches, -L items in the lowest level only, -u a tree a rank, -F only files, -D only directories, -C only create, -T
    only stat, -U only rename directories, -E only read, -r only remove, -w bytes written to each file, -e bytes read of it, -k nodes
    instead of files, --verify-write each file read once it is written, -y fsync after writing, -Y sync after each phase, -N so many
    hosts further (or ranks, on one host) is whose items are looked at, read and removed, -B ranks don't wait for each other, -c the
    first rank makes and removes the items of all, -R items looked at and read in an order that is drawn, -i repetitions, -p seconds
    before each, -f -l -s first and last number of ranks on which it runs and the step between, -W seconds after which no rank makes more
    files than the one that has most then. With both -n and -I the items of a rank lie in as many trees as that takes. Sizes take k, m,
    g, t (powers of 1024). What changes no access (-G, -x, -X with -E, -P, …) is accepted and does nothing.
    """


@dataclass(kw_only=True)
class Measure(Part):
    """What to measure, and when to stop."""

    confidence: str | float | None = None
    """The level of the confidence intervals."""

    max_requests: int | None = None
    """A run that reaches this many requests is broken off with a warning."""

    max_time: str | None = None
    """A run that reaches this much model time is broken off with a warning."""

    model_error: bool | None = None
    """Whether the report says how far its figures may be off, by what validations of such parts missed by."""

    months: int | None = None
    """Over how many months what is bought and what is rented are added up as one cost."""

    on_error: Literal["stop", "count"] | None = None
    """What becomes of a request that its System can't do: a write to a full volume, a block that a device can't read."""

    replications: int | None = None
    """Runs with different random numbers, for confidence intervals."""

    stages: Literal["classes", "all"] | None = None
    """Which stages the report shows: equal parts as one class, or each of them."""

    stop: Stop | dict[str, Any] | None = None
    """When a run has measured enough: whichever comes first. Left out, when every workload has ended."""

    warm_up: Literal["auto"] | str | None = None
    """What is cut off at the beginning: a span of model time, or "auto" (MSER-5)."""


@dataclass(kw_only=True)
class MemberFailure(Part):
    """A member that fails at a time."""

    at: str | None = None
    """When, from the beginning of the run."""

    member: int | None = None
    """Which of those that the array lies on, from 0."""


@dataclass(kw_only=True)
class MeshTable(Part):
    """Switches in a grid with ends."""

    kind: Literal["mesh"] = "mesh"

    dimensions: list[int] | None = None
    """Switches along each dimension, as `[8, 8, 4]`; hosts fill the first dimension first."""

    hosts_per_switch: int | None = None
    """Hosts at each switch."""


@dataclass(kw_only=True)
class MessageParameters(Part):
    """A message from one rank to another."""

    _keys = {"from_": "from"}

    bytes: str | None = None
    """Of the message."""

    from_: int | None = None
    """Who sends it."""

    messages: int | None = None
    """So many of them, posted together."""

    to: int | None = None
    """Who receives it."""


@dataclass(kw_only=True)
class Messages(Part):
    """What messages between nodes cost (Ivy, §4.1, which leaves them out): a request comes to a spigot, which sends it to the node with the
    file's master copy; that one asks the nodes that hold copies, and sends the request to one of them.
    """

    dispatch: str | None = None
    """From the master to the node that serves; where it isn't the master itself."""

    forward: str | None = None
    """From the spigot to the master."""

    query: str | None = None
    """A question to a node that holds a copy, and its answer; all are asked at once. Only where there is more than one."""


@dataclass(kw_only=True)
class MixturePart(Part):
    """One of the distributions of a mixture."""

    of: DrawOfDuration | dict[str, Any] | None = None
    """The distribution."""

    weight: float | None = None
    """How likely it is, beside the other parts' weights."""


@dataclass(kw_only=True)
class MixturePart2(Part):
    """One of the distributions of a mixture."""

    of: DrawOfSignedBlocks | dict[str, Any] | None = None
    """The distribution."""

    weight: float | None = None
    """How likely it is, beside the other parts' weights."""


@dataclass(kw_only=True)
class MixturePart3(Part):
    """One of the distributions of a mixture."""

    of: DrawOfBlocks | dict[str, Any] | None = None
    """The distribution."""

    weight: float | None = None
    """How likely it is, beside the other parts' weights."""


@dataclass(kw_only=True)
class MixturePart4(Part):
    """One of the distributions of a mixture."""

    of: DrawOfBytes | dict[str, Any] | None = None
    """The distribution."""

    weight: float | None = None
    """How likely it is, beside the other parts' weights."""


@dataclass(kw_only=True)
class Mpi(Part):
    """A message-passing library that joins hosts: processes on them may exchange messages."""

    eager: str | None = None
    """Messages up to here, with their envelopes, are sent at once; for longer ones their receiver is asked first (Open MPI's
    `btl_tcp_eager_limit`: 64 KiB).
    """

    envelope: str | None = None
    """What stands before a message: who sends it, its tag, its length."""

    hosts: str | list[str] | None = None
    """The hosts whose processes exchange messages."""

    network: str | None = None
    """The network that carries messages; may be left out where there is only one. A library of one host needs none: its processes give each
    other messages through memory.
    """

    receive: str | None = None
    """Time of the receiver's processors for each message, likewise."""

    send: str | None = None
    """Time of the sender's processors for each message, beside what the network costs its host."""

    service_level: int | None = None
    """The service level of its messages, by which a network with several virtual lanes tells them apart (0 to 15)."""

    shared_memory: SharedMemory | dict[str, Any] | None = None
    """Messages between processes of one host."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class MpiIoParallelProgram(Part):
    """Accesses through views of one's own."""

    kind: Literal["mpi-io"] = "mpi-io"

    access: Literal["independent", "collective", "ordered", "shared"] | None = None
    """Alone, together, or in order."""

    accesses: int | None = None
    """Accesses of each rank, each of all that its view shows once."""

    compute_time: str | None = None
    """How long a rank computes before each access."""

    displacement: str | None = None
    """Where the first rank's view begins."""

    operation: Literal["write", "read", "write-then-read"] | None = None
    """What is done. A file that is only read is there, as long as the ranks' accesses reach."""

    rank_displacement: str | None = None
    """How much later each further rank's view begins."""

    view: list[DatatypeParameters | dict[str, Any]] | None = None
    """What a rank sees of the file (the filetype of MPI_File_set_view): types, each made of the one before, such as `[{ bytes = "8 B" }, {
    vector = { count = 100, block = 1, stride = 4 } }]`.
    """


@dataclass(kw_only=True)
class MqDeadlineTable2(Part):
    """deadline for blk-mq, with a level for each I/O class."""

    kind: Literal["mq-deadline"] = "mq-deadline"

    fifo_batch: int | None = None
    """Requests in a batch (`fifo_batch`; 16)."""

    front_merges: bool | None = None
    """Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1)."""

    prio_aging_expire: str | None = None
    """How long requests of a lower I/O class wait behind those of a higher one (`prio_aging_expire`; 10·HZ)."""

    read_expire: str | None = None
    """How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in mq-deadline.c)."""

    write_expire: str | None = None
    """How long a write may wait, likewise (`write_expire`; 5·HZ)."""

    writes_starved: int | None = None
    """How many batches of reads may pass writes that wait (`writes_starved`; 2)."""


@dataclass(kw_only=True)
class Multipath(Part):
    """Several paths from a host to a device or array, as Linux's dm-multipath uses them: each an adapter and a link, of which some may
    fail.
    """

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    detected_after: str | None = None
    """How long after a path fails the requests on it come back as failed, and the path is given up. A link that goes down is found by the
    adapter, and waited for: `fast_io_fail_tmo`, 5 s. One that is silent is found by a command's timeout, 30 s.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    failback: str | None = None
    """How long after a better group has a path again requests go over it (`failback`); `"0 s"`: at once (`immediate`). Left out: only when
    the one in use fails (`manual`, the default of multipath.conf).
    """

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    groups: Literal["failover", "multibus", "group-by-prio"] | None = None
    """Which carry requests together."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    link: FabricParameters | dict[str, Any] | None = None
    """Adapter and link of each path that doesn't say its own."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    no_path_retry: int | None = None
    """For how many polling intervals requests wait while there is no path, before they fail: `no_path_retry`. 0: they fail at once
    (`fail`).
    """

    on: str | None = None
    """The disk or array to which the paths lead."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    paths: list[PathParameters | dict[str, Any]] | None = None
    """The paths, in the order in which they are known; `paths = [{}, {}]` are two equal ones."""

    polling_interval: str | None = None
    """How often multipathd looks at paths that were given up: `polling_interval`, 5 s."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    queue_if_no_path: bool | None = None
    """Requests wait for a path however long it takes (`no_path_retry queue`)."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    rr_min_io: int | None = None
    """How many requests in a row a path gets from the round-robin selector: `rr_min_io_rq`, 1; kernels before 2.6.31 had `rr_min_io`,
    1,000, and those since 4.6 know 1 alone.
    """

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    selector: Literal["service-time", "queue-length", "round-robin"] | None = None
    """Which of these the next request takes."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class NamedColumns(Part):
    """Which column means what, by the names in the table's first line, or by their numbers from 1 on, whether the table has such a line or
    not.
    """

    device: str | None = None
    """The number of the device."""

    length: str | None = None
    """How long it is."""

    offset: str | None = None
    """Where it begins."""

    operation: str | None = None
    """What it is: R, read, W, write, F or flush, in capitals or not; petrio's own `RS`, `WU` as well. Lines in which it is empty are
    counted, and read over.
    """

    process: str | None = None
    """The number of the process that asked."""

    read: str | None = None
    """The words of the operation that stand for a read and a write, where they are others: `read=0` and `write=1`."""

    response: str | None = None
    """How long it took, where that was measured."""

    time: str | None = None
    """When a request arrives."""

    write: str | None = None
    """The word for a write."""


@dataclass(kw_only=True)
class Network(Part):
    """A network."""

    adapter: AdapterParameters | dict[str, Any] | None = None
    """What each host's adapter does between memory and wire; left out, nothing that takes time."""

    arbitration: ArbitrationParameters | dict[str, Any] | None = None
    """Whose turn it is among virtual lanes; left out, the highest goes first."""

    cost: NetworkCost | dict[str, Any] | None = None
    """What a switch costs, and what an adapter of a host costs where that has a price of its own."""

    costs: HostCostsParameters | dict[str, Any] | None = None
    """What messages cost hosts; what is left out is as the transport has it."""

    cut_through: bool | None = None
    """Whether a switch passes a frame on before it has all of it (InfiniBand, Myrinet), or after (Ethernet); left out, as the transport has
    it.
    """

    framing: FramingParameters | dict[str, Any] | None = None
    """How data are cut into frames; what is left out is as the transport has it."""

    gap: str | None = None
    """Least time between two messages of a host (LogGP's g); left out, none."""

    hosts: str | list[str] | None = None
    """The hosts: a name, a pattern such as `client*`, or a list of these; left out, all."""

    level: Literal["ideal", "train", "packet", "fluid"] | None = None
    """How much of it is modelled."""

    link: LinkParameters2 | dict[str, Any] | None = None
    """The links between hosts and switches."""

    loss: str | float | None = None
    """The share of frames that are lost on their way: at the level of packets of all, at the others of datagrams alone (`proto=udp` of
    NFS), for what TCP sends again isn't told apart there. Left out, none but those that `buffer` has no room for.
    """

    name: str | None = None
    """What it is called."""

    source: str | None = None
    """Where its figures come from."""

    tcp: TcpParameters | dict[str, Any] | None = None
    """At the level of packets, the hosts' TCP; left out, that of Linux."""

    topology: Topology | dict[str, Any] | None = None
    """How they are wired: a word such as `"star"`, or a table with that as `kind` and figures."""

    traffic: list[Traffic | dict[str, Any]] | None = None
    """What else is sent over it while the workloads run: nobody waits for it."""

    train: str | None = None
    """At the level of trains, the largest train. Left out, what a host's link passes in half a millisecond, but at most 64 KiB and at least
    a frame's data.
    """

    transport: Literal["tcp", "ip-over-infiniband", "rdma", "fibre-channel", "iscsi", "gm"] | None = None
    """What carries messages."""

    trunk: LinkParameters2 | dict[str, Any] | None = None
    """The links between switches; left out, as those of hosts."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    virtual_lanes: int | None = None
    """Virtual lanes of each link (InfiniBand's VL), 1 to 8: a message of service level n takes lane n, or the last one. Each has the link's
    credits for itself, and of two that wait at a link the higher lane goes first, or whose turn it is by `arbitration`. With credits a
    torus needs two lanes for each level, and a dragonfly two or three, so that links don't wait for each other in a circle.
    """

    window: str | None = None
    """Bytes of a connection that may be under way, which its receiver hasn't acknowledged (the window of TCP; Linux lets it grow to the
    third value of `net.ipv4.tcp_rmem`, 6 MiB). Left out, any number.
    """


@dataclass(kw_only=True)
class NetworkCost(Part):
    """What a network's hardware costs."""

    adapter: Cost | dict[str, Any] | None = None
    """A host's adapter, and what it draws; left out, it comes with its machine."""

    switch: Cost | dict[str, Any] | None = None
    """A switch, and what it draws."""


@dataclass(kw_only=True)
class Nfs(Part):
    """A file system of a host that other hosts mount by NFS: what they read and write is in their page caches, and what they know of names
    and attributes decides which calls go to the server.
    """

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`."""

    costs: NfsCosts | dict[str, Any] | None = None
    """What else costs time of processors."""

    export: Literal["sync", "async"] | None = None
    """What the server promises of what it has answered: `sync` or `async`."""

    failures: list[ServerFailure | dict[str, Any]] | None = None
    """When the server fails, in order: `{ at, restored_after, what }`, of which `what` is `stops` (left out), `unreachable` or `slow` with
    `slower_by`.
    """

    grace: str | None = None
    """For how long a server of version 4 that has been started anew lets clients reclaim what they had, and nobody open anything new,
    unless all have done that before (`nfsv4gracetime`).
    """

    network: str | None = None
    """The network between its clients and the server; may be left out where there is only one."""

    options: str | None = None
    """How it is mounted, as mount(8) takes it, such as `vers=3,rsize=32768,wsize=32768,noac`: `vers` (2, 3, 4.0, 4.1, 4.2), `rsize`,
    `wsize`, `actimeo`, `acregmin`, `acregmax`, `acdirmin`, `acdirmax`, `noac`, `sync`, `nocto`, `lookupcache`, `nordirplus`, `nolock`,
    `noacl`, `nconnect`, `proto` (tcp, udp), `timeo`, `retrans`, `hard`, `soft`, `softerr`. Left out, version 4.2 and what nfs(5) says.
    """

    reply_cache: int | None = None
    """Replies that the server keeps, so that a call that comes twice isn't done twice: 0 keeps none. Left out, 1024, as Linux did up to 3.8
    (`CACHESIZE`, fs/nfsd/nfscache.c); later ones keep as many as a share of memory holds.
    """

    server: str | list[str] | None = None
    """The file system that is exported, such as `server/data`; of a Unix host of 1990 that has one, the host."""

    slots: int | None = None
    """Calls of a client that are on their way at a time. Left out, what Linux has: 16 over UDP, of which it uses as many as the network
    carries; 65,536 over TCP of version 2 to 4.0, which take slots as they need them (`tcp_max_slot_table_entries`), and 64 of versions
    4.1 and 4.2, as many as a session has (`max_session_slots`).
    """

    threads: int | None = None
    """Threads of the server, each of which does one call at a time (the number that `rpc.nfsd` is given)."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class NfsCosts(Part):
    """What work costs, as time of the processors of the host that does it; copies apart, which cost a client and a server's file system
    what their machines say.

    What is left out is of a machine of today, as of a file service (`ShareCosts`): with nfs-ganesha 4.3 and libnfs 4.0 on a virtual
    machine with an EPYC 9005 a call that reads 1 KiB from memory took 139 us of processors, both ends and TCP together; Linux's own
    client and server, which don't leave the kernel, are assumed to need half of that.
    """

    answer: str | None = None
    """A reply that a client hears."""

    call: str | None = None
    """Sending a call to a server."""

    data_kib: str | None = None
    """A KiB of data that a client sends or hears, beside its copy to the program: between packets and memory, and for a sum of UDP's."""

    serve: str | None = None
    """A call on a server: decoding, finding the file, encoding the reply."""


@dataclass(kw_only=True)
class NoopTable2(Part):
    """First come, first served, with merging."""

    kind: Literal["noop"] = "noop"


@dataclass(kw_only=True)
class OsdStop(Part):
    """An OSD that stops."""

    at: str | None = None
    """When."""

    osd: int | None = None
    """Which, in the order in which they are named, counted from 0."""

    returns_after: str | None = None
    """It is there again after so long, with what it had; left out, never."""


@dataclass(kw_only=True)
class Pace(Part):
    """How fast accesses are issued at most."""

    drawn: bool | None = None
    """Whether the spans between them are drawn (exponentially: a Poisson process) and not equal."""

    limit: LimitOn | dict[str, Any] | None = None
    """Bytes in a time, or accesses in a second."""


@dataclass(kw_only=True)
class ParallelProgram(Part):
    """Which program it is."""

    _keys = {"class_": "class"}

    kind: Literal["bt-io", "seis", "ior", "mdtest", "io500", "checkpoint", "training", "mpi-io", "steps", "stream", "darshan"] | None = None

    class_: Literal["S", "W", "A", "B", "C", "D"] | None = None
    """The size of the problem."""

    fortran_buffer: str | None = None
    """The Fortran library's buffer, of the subtypes fortran and epio (gfortran 10 and later: GFORTRAN_UNFORMATTED_BUFFER_SIZE, 131,072 B)."""

    messages: bool | None = None
    """Whether the ranks exchange the faces of their blocks in each step, as the solver needs it."""

    rate: float | None = None
    """Millions of floating-point operations that a rank computes in a second, as the benchmark reports them for each process
    (Mop/s/process); instead of `step_time`. The benchmark counts 3478.8·N³ − 17655.7·N² + 28023.7·N in a step.
    """

    read_back: bool | None = None
    """Whether all dumps are read back after the last step, to be checked."""

    step_time: str | None = None
    """How long each rank computes in a step. Left out, no time, unless `rate` says how fast it is."""

    steps: int | None = None
    """Time steps (inputbt.data). Left out, the class' own: 60, 200, 250 for D."""

    subtype: Literal["full", "simple", "fortran", "epio"] | None = None
    """How it writes and reads."""

    write_interval: int | None = None
    """Steps from one dump to the next (inputbt.data; there is one after the last step, too)."""

    data: str | None = None
    """The data set, of all ranks together; rounded up so that each rank writes whole chunks."""

    read_chunk: str | None = None
    """A chunk as it is read in phase 2; a part of a written one."""

    read_compute: str | None = None
    """How long a rank computes on each chunk that it has read."""

    share: Literal["dealt", "parts", "neighbour"] | None = None
    """Which chunks of the others a rank reads."""

    write_chunk: str | None = None
    """A chunk as it is written in phase 1."""

    write_compute: str | None = None
    """How long a rank computes on each chunk before it writes it."""

    command: str | None = None
    """The command line, such as "ior -a MPIIO -b 16m -t 1m -s 4 -c" or "mpirun -np 4 ior -t=1m". Options: -a POSIX|MPIIO, -b block, -t
    transfer, -s segments, -F a file a rank, -u in a directory of its own, -m another one in each repetition, -c collective, -w only
    write, -W read it once more to compare it (alone it only does that), -r only read, -C and -Q other ranks' data are read, -z transfers
    of a block in random order, or in one file for all those of all blocks, each by a rank that is drawn, -e fsync after writing, -Y
    fsync after each write, -i repetitions, -d seconds before writing and reading, -k keep the file, -E write into the file that is
    there, -g wait for all before and after accesses, -D seconds after which a rank stops writing, or reading, -O stoneWallingWearOut=1
    all go on then until they have done as much as the first, -O stoneWallingWearOutIterations=N transfers after which a rank stops, -T
    minutes after which no further writing or reading begins, -O useO_DIRECT=1 and other directives by name, with commas between. Sizes
    take k, m, g, t (powers of 1024). What changes no access (-G, -R with -r, --dataPacketType, -o, -O summaryFormat=JSON, …) is accepted
    and does nothing.
    """

    ior_easy_api: str | None = None
    """By which interface ior-easy accesses its files: "POSIX" or "MPIIO", as IOR's -a has it."""

    ior_easy_block: str | None = None
    """Bytes that each rank writes in ior-easy: a multiple of `ior_easy_transfer`."""

    ior_easy_file_per_process: bool | None = None
    """Whether each rank has a file of its own in ior-easy."""

    ior_easy_transfer: str | None = None
    """Bytes of a transfer in ior-easy (the rules leave it free; 2 MiB is the program's default)."""

    ior_hard_api: str | None = None
    """By which interface ior-hard accesses its file."""

    ior_hard_collective: bool | None = None
    """Whether ior-hard's accesses are of all ranks together, which "MPIIO" can do."""

    ior_hard_segments: int | None = None
    """Segments of ior-hard: pieces of 47,008 B that each rank writes."""

    left_out: list[str] | None = None
    """Phases that aren't run, by their names: "find", "mdtest-hard-read" …"""

    mdtest_easy_files: int | None = None
    """Files of each rank in mdtest-easy."""

    mdtest_hard_files: int | None = None
    """Files of each rank in mdtest-hard."""

    stonewall: str | None = None
    """After how many whole seconds each writing phase ends, once all ranks have done as much as the first: 300 s by the rules. Where the
    amounts above are done earlier, they end it.
    """

    checkpoints: int | None = None
    """Checkpoints."""

    collective: bool | None = None
    """Whether the accesses of all ranks to one file are collective ones of MPI-IO."""

    fsync: bool | None = None
    """Whether each checkpoint is made durable (fsync by each rank) before the program goes on."""

    interval: str | None = None
    """How long each rank computes before each checkpoint."""

    layout: Literal["n-n", "n-1", "n-1-strided", "n-1-ordered"] | None = None
    """Where the ranks' states lie."""

    restart: bool | None = None
    """Whether the program begins by reading a checkpoint that is there."""

    sets: int | None = None
    """Sets of files that checkpoints go to in turn. With the first one of each a file is made."""

    state: str | None = None
    """Bytes that each rank writes in a checkpoint; a multiple of `transfer`."""

    transfer: str | None = None
    """Bytes of one access. Left out, the whole state by one."""

    batch: int | None = None
    """Samples of a step of each accelerator: 7, 400, 1."""

    epochs: int | None = None
    """Times that all samples are gone through (MLPerf Storage: 5)."""

    files: int | None = None
    """Files of the data set: 168 (unet3d), 1024 (resnet50), 524,288 (cosmoflow)."""

    gradients: str | None = None
    """Bytes of gradients that all accelerators sum up after each step. Left out, none, as MLPerf Storage does it."""

    model: Literal["unet3d", "resnet50", "cosmoflow"] | None = None
    """Whose figures hold where nothing else is said (MLPerf Storage 1.0, H100)."""

    prefetch: int | None = None
    """Batches that a reader has ready at most before its accelerator has taken one (PyTorch's prefetch_factor)."""

    readers: int | None = None
    """Readers of each accelerator: 4, 8, 4."""

    sample: DrawOfBytes | dict[str, Any] | None = None
    """Bytes of a sample, drawn for each file: normally distributed around 146.6 MB with a standard deviation of 68.3 MB (drawn again where
    nothing would be left); 114,660 B; normally distributed around 2.83 MB with 71.3 kB.
    """

    samples_per_file: int | None = None
    """Samples in each file: 1, 1251, 1."""

    access: Literal["independent", "collective", "ordered", "shared"] | None = None
    """Alone, together, or in order."""

    accesses: int | None = None
    """Accesses of each rank, each of all that its view shows once."""

    compute_time: str | None = None
    """How long a rank computes before each access."""

    displacement: str | None = None
    """Where the first rank's view begins."""

    operation: Literal["write", "read", "write-then-read"] | None = None
    """What is done. A file that is only read is there, as long as the ranks' accesses reach."""

    rank_displacement: str | None = None
    """How much later each further rank's view begins."""

    view: list[DatatypeParameters | dict[str, Any]] | None = None
    """What a rank sees of the file (the filetype of MPI_File_set_view): types, each made of the one before, such as `[{ bytes = "8 B" }, {
    vector = { count = 100, block = 1, stride = 4 } }]`.
    """

    bytes: str | None = None
    """Of each message."""

    duration: str | None = None
    """After so long a sender ends, whatever it has moved. Not with `ping_pong`, whose receivers couldn't know."""

    in_flight: int | None = None
    """So many messages of a sender are under way at a time."""

    ping_pong: bool | None = None
    """Whether each message is answered by one as long before the next one; one is under way at a time then."""

    total: str | None = None
    """Of all messages of a sender; the last one is shorter where it must be."""

    verb: Literal["write", "read"] | None = None
    """Whether senders write to their receivers' memory or read from it."""

    file: str | None = None
    """Darshan's log, or what darshan-dxt-parser (or, of a log without extended traces, darshan-parser) printed of it."""

    gaps: Literal["compute", "think"] | None = None
    """What a rank did between two calls."""

    time_scale: float | None = None
    """The gaps are multiplied by this: 0 for none."""


@dataclass(kw_only=True)
class ParallelWorkload(Part):
    """A parallel program, whose ranks compute, exchange messages, and work on files together."""

    kind: Literal["parallel"] = "parallel"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    compute_scale: float | None = None
    """Computing times are multiplied by this: 2 for processors half as fast as those that the program's times are of."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    hints: Hints | dict[str, Any] | None = None
    """What MPI-IO is told."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    program: ParallelProgram | dict[str, Any] | None = None
    """Which program."""

    ranks: int | None = None
    """Processes of the program, each a rank."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """


@dataclass(kw_only=True)
class Partition(Part):
    """A run of a disk's blocks (or those of another part) as a part of its own. Several partitions of one disk share its arm."""

    _keys = {"from_": "from"}

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    from_: str | None = None
    """Where it begins there: `"20 GiB"`, or a share of the whole such as `"25 %"`. Left out: at the first block, which lies on a disk's
    outermost and fastest tracks.
    """

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | None = None
    """The disk, array or other part that it is a piece of."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    size: str | None = None
    """How much it holds: `"20 GiB"`, or a share of the whole such as `"25 %"`. Left out: up to the end."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class PathFailure(Part):
    """A path that carries nothing for a while."""

    at: str | None = None
    """When it begins."""

    restored_after: str | None = None
    """How long it takes. Left out: to the end of the run."""


@dataclass(kw_only=True)
class PathParameters(Part):
    """One way to the device."""

    failures: list[PathFailure | dict[str, Any]] | None = None
    """When it fails, in order."""

    link: FabricParameters | dict[str, Any] | None = None
    """Adapter and link, where they aren't as those of all."""

    priority: int | None = None
    """Higher is better (`prio`; arrays tell it by ALUA: 50 for optimised ports, 10 for others)."""

    throughput: int | None = None
    """Throughput in comparison with the others (`relative_throughput` of dm-service-time.c, 0 … 100). Left out: 1. With 0 it is used only
    when the others of its group are gone.
    """


@dataclass(kw_only=True)
class PlaceSequence(Part):
    """Places in an order."""

    advances: bool | None = None
    """Whether each time through it lies behind the time before by as many places as it has (`random_sequence_stride`)."""

    places: list[int] | None = None
    """Which, from 0."""


@dataclass(kw_only=True)
class Placement(Part):
    """Where copies go."""

    first: Literal["in-order", "random", "by-use", "by-load"] | None = None
    """Where a file's first copy goes. Left out, as the policy has it: to the first disk, or, where it scatters, by chance."""

    others: Literal["in-order", "random", "by-use", "by-load"] | None = None
    """Where its other copies go; of disks with as many copies of the file already."""


@dataclass(kw_only=True)
class PolicyParameters(Part):
    """The policies, as a scenario writes them."""

    kind: Literal["read-one-write-all", "cut-back", "cut-back-random", "scatter", "scatter-cut-back", "adaptive"] | None = None

    after: str | None = None
    """How long after the file was made or last written."""

    age: str | None = None
    """Only when it is so old; a file that was there before the run is."""

    largest: str | None = None
    """Only up to this size."""

    misses: int | None = None
    """Only when it has been opened for reading and read from a disk so often."""

    most_writes: int | None = None
    """Only as long as it has been opened for writing no more often."""

    reads: int | None = None
    """Only when it has been opened for reading so often."""

    step: int | None = None
    """So many more at a time, each at its own event; left out, all at once."""

    scatter: bool | None = None
    """Whether each file begins on a disk by chance."""

    write_all: bool | None = None
    """Whether a file keeps its copies while it is written, as long as its reads are worth them; if not, it is cut back to one."""


@dataclass(kw_only=True)
class Popularity(Part):
    """How unequally likely places are. Of `zipf` and `pareto` the popular ones lie all over, and are the same for everybody in every run."""

    zipf: float | None = None

    pareto: str | float | None = None
    """A fraction: a percentage such as "30 %", or a plain number between 0 and 1"""

    normal: str | float | None = None
    """A fraction: a percentage such as "30 %", or a plain number between 0 and 1"""

    zones: list[Zone | dict[str, Any]] | None = None


@dataclass(kw_only=True)
class PowerDraw(Part):
    """What one draws."""

    active: str | None = None
    """While it works without a pause; left out, as while it has nothing to do."""

    idle: str | None = None
    """While it has nothing to do, ready at once."""

    source: str | None = None
    """Where these stand."""


@dataclass(kw_only=True)
class Price(Part):
    """Price."""

    amount: str | None = None
    """How much."""

    date: str | None = None
    """When it was asked: a year, a month or a day ("2019-06")."""

    source: str | None = None
    """By whom, and where that stands."""


@dataclass(kw_only=True)
class ProcessMemory(Part):
    """Memory of each process of a workload, beside what files of it are in the page cache."""

    order: Literal["random", "sequential"] | None = None
    """Which pieces."""

    piece: str | None = None
    """In pieces of this size: of a page each is what pointers are followed through, more is what tables and buffers are."""

    shared: bool | None = None
    """Whether the processes of the workload share it, as the buffers of a database; it then stays when they end."""

    size: str | None = None
    """How much each process has, or all of them share: written once as it begins, given back as it ends."""

    uses: str | None = None
    """How much of it is used before each operation; left out, all of it is used once and no more."""


@dataclass(kw_only=True)
class Protocol(Part):
    """How copies are kept alike."""

    kind: Literal["write-all", "master", "voting", "transaction"] | None = None

    reads: int | None = None
    """Votes that a read needs; left out, as many as it takes to meet every write. Of a file with fewer, all."""

    versions: Literal["in-memory", "on-disk"] | None = None
    """Where each copy keeps its version number."""

    weights: list[int] | None = None
    """Votes of a copy by the disk that it lies on, in their order (1 to 100); left out, one each. The disk that is up most often, or is the
    fastest, gets more.
    """

    writes: int | None = None
    """Votes that a write needs; left out, more than half of them. Of a file with fewer, all."""

    log: str | None = None
    """The log at the end of each disk, written round and round."""


@dataclass(kw_only=True)
class Pvfs(Part):
    """A parallel file system."""

    at_once: int | None = None
    """Reads and writes that a server does at a time; left out, one in PVFS 1 and 16 in PVFS 2."""

    attributes_valid: str | None = None
    """PVFS 2: for how long clients believe attributes and names (`acache`, `ncache`)."""

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `client3/NAME`, which is its mount on the host client3, or to `client*/NAME`."""

    costs: PvfsCosts | dict[str, Any] | None = None
    """What else costs time of processors."""

    direct: bool | None = None
    """Servers read and write their own files past the page cache (OrangeFS: `TroveMethod directio`)."""

    direct_note: str | None = None
    """What a server writes into its database of files after each direct write that makes a file longer, and waits for: the file's new
    length. With OrangeFS 2.10 a page of 4 KiB was seen to reach the disk with each such write.
    """

    directory_servers: int | None = None
    """PVFS 2: servers that have the names of a new directory (`DistrDirServersInitial`)."""

    directory_servers_most: int | None = None
    """PVFS 2: servers that may have the names of one directory (`DistrDirServersMax`); left out, those that have them at first."""

    directory_split: int | None = None
    """PVFS 2: names on one server of a directory, beyond which half of them go to another one (`DistrDirSplitSize`)."""

    eager: str | None = None
    """Where adapters access memory for each other (`transport = "rdma"`), messages longer than this are written into their receiver's
    memory once he has said where (BMI over InfiniBand: EAGER_BUF_SIZE, 8 KiB).
    """

    failures: list[FailureOfOne | dict[str, Any]] | None = None
    """PVFS 2: when servers fail, those of each in order: `{ server, at, restored_after, what }`, of which `server` is its place in
    `servers`, counted from 0, and `what` is `stops` (left out: its host does), `exits` (its process ends), `unreachable`, or `slow` with
    `slower_by`.
    """

    manager: str | None = None
    """PVFS 1: the file system on which its metadata lie, and whose host is its manager; left out, the first of its servers. PVFS 2 has
    metadata on all of its servers.
    """

    network: str | None = None
    """The network between its clients and servers; may be left out where there is only one."""

    order: Literal["listed", "drawn"] | None = None
    """In which order they take turns; left out, listed by PVFS 1 and drawn by PVFS 2."""

    piece: str | None = None
    """Bytes that a server reads or writes at a time; left out, 64 KiB in PVFS 1 and 256 KiB in PVFS 2."""

    real_time: bool | None = None
    """Servers run in a real-time class (SCHED_RR, SCHED_FIFO): the kernel lets them have a quarter more dirty pages, and a thirty-second of
    its limit.
    """

    receive_buffer: str | None = None
    """Memory that a server's receive buffer for each client takes from its host's page cache (§8.4.1); nothing unless it is said."""

    receive_queue: QueueCost | dict[str, Any] | None = None
    """What taking something from the receive buffers costs."""

    retries: PvfsRetries | dict[str, Any] | None = None
    """PVFS 2: for how long clients and servers wait for each other then."""

    servers: str | list[str] | None = None
    """The file systems of hosts on which its files lie, such as `server*/data`, in their order."""

    servers_per_file: int | None = None
    """Servers that a file lies on; left out, all."""

    service_levels: ServiceLevels | dict[str, Any] | None = None
    """Service levels of its messages, by which a network with several virtual lanes tells them apart."""

    size_valid: str | None = None
    """PVFS 2: for how long they believe a file's size."""

    stripe_unit: str | None = None
    """Bytes of a file on a server before the next one's turn."""

    stuffing: bool | None = None
    """PVFS 2: a file's first stripe lies with its metadata until there is more of it (`FileStuffing`)."""

    sync_names: bool | None = None
    """Whether the manager has changes of names on its disk before it answers (OrangeFS: `TroveSyncMeta`); left out, no in PVFS 1 and yes in
    PVFS 2, as pvfs2-genconfig writes it.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    version: Literal["pvfs1", "pvfs2"] | None = None
    """Which PVFS it is."""


@dataclass(kw_only=True)
class PvfsCosts(Part):
    """What work costs, as time of the processors of the host that does it. What is left out is as OrangeFS 2.10 needed it on a virtual
    machine with an EPYC 9005: so that single calls and one client alone took what was measured.
    """

    answer: str | None = None
    """An answer that a client hears."""

    call: str | None = None
    """A call on a client: the library, and what it sends."""

    database: str | None = None
    """PVFS 2: whatever a server looks up in its database of names and attributes, or changes there. Left out, 60 us: with it a request for
    attributes in a long row of them (`ls -l`) takes the 0.31 ms that were measured.
    """

    piece: str | None = None
    """A piece of data that a server reads or writes. Left out, 10 us: a thread that is made for it (assumed; OrangeFS's alt-aio makes one
    for each).
    """

    request: str | None = None
    """A request on a server."""

    wake_up: str | None = None
    """Until a process that waits for messages runs after one has come, on average: an exponential time, in which no processor is used. It
    is what makes the order of messages differ from call to call.
    """


@dataclass(kw_only=True)
class PvfsRetries(Part):
    """For how long clients and servers of PVFS 2 wait for each other, and how often they try, where servers fail (`failures`). Left out, as
    pvfs2-genconfig of OrangeFS 2.10 writes it.
    """

    client_flow_time_out: str | None = None
    """For how long it waits for the next data of a flow, or for the end of one (`ClientJobFlowTimeoutSecs`, 300 s). Progress of a write's
    data is not seen here: it counts from when they may be sent.
    """

    client_time_out: str | None = None
    """For how long a client waits for an answer (`ClientJobBMITimeoutSecs`, 300 s)."""

    delay: str | None = None
    """The rest before that, unless a time-out has been waited for (`ClientRetryDelayMilliSecs`, 2 s)."""

    limit: int | None = None
    """How often a request is sent again (`ClientRetryLimit`, 5); servers go by it, too."""

    server_time_out: str | None = None
    """For how long a server waits for an answer of another (`ServerJobBMITimeoutSecs`, 30 s)."""


@dataclass(kw_only=True)
class QueueCost(Part):
    """What taking something from a server's receive buffers costs: `each`, and `waiting` for each that waits in them, as when a list is
    searched (§7.3.1 and §8.4.1 of the dissertation).
    """

    each: str | None = None
    """However many wait."""

    waiting: str | None = None
    """For each that waits."""


@dataclass(kw_only=True)
class QueueDiscipline(Part):
    """Which waiting command is served next."""

    kind: Literal["fcfs", "sstf", "look", "c-look", "cscan", "sptf", "aged-sptf"] | None = None

    longest_wait: str | None = None
    """Waiting time in the drive after which a command comes before any other; where all that waits would take longer than that in the worst
    order, so long.
    """


@dataclass(kw_only=True)
class Raid(Part):
    """Several disks (or other parts that hold blocks) as one."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    bitmap: BitmapParameters | dict[str, Any] | None = None
    """Where it is written down which parts of the members may differ (mdadm: `--bitmap=internal`), at levels with redundancy. Left out:
    nowhere.
    """

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    controller: ControllerParameters | dict[str, Any] | None = None
    """The array's own processor, where it has one."""

    copies: int | None = None
    """At level 1+0, how many members hold the same."""

    copies_layout: Literal["near", "far", "offset"] | None = None
    """At level 1+0, how copies are spread (mdadm: `--layout`). `near` over members that are no multiple of the copies is md's, too."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    degraded: Literal["all-that-is-left", "fewest"] | None = None
    """What is asked of a stripe of which members are missing."""

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    failures: list[MemberFailure | dict[str, Any]] | None = None
    """Members that fail at times that are given."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    granularity: str | None = None
    """Parity is made, and data are read for it, in whole pieces of this size (Linux md: a page of 4 KiB). A multiple of 512 bytes that
    divides the stripe unit.
    """

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    journal: JournalParameters | dict[str, Any] | None = None
    """With a stripe cache, a journal that has what is written before the members have it: the last of those that the array lies on (mdadm:
    `--write-journal`). Left out: none.
    """

    layout: Literal["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"] | None = None
    """At levels 5 and 6, how the parity goes around the members."""

    level: Any | None = None
    """How data are spread over the members and what protects them."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mean_time_to_failure: str | None = None
    """How long a member lives on average, such as "1000000 h"; how long each lives is drawn from an exponential distribution. Left out:
    none fails but those of `failures`.
    """

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    name: str | None = None
    """What it is called."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | list[str] | None = None
    """The members, in order."""

    parity_update: str | None = None
    """What is read to make parity anew where less than a stripe is written."""

    partial_parity_log: bool | None = None
    """At level 5 with a stripe cache, whether partial parity is written down on the members before a part of a stripe is (mdadm:
    `--consistency-policy=ppl`).
    """

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    reads: Literal["linux-md", "nearest", "shortest-queue", "round-robin", "random", "first"] | None = None
    """Which copy a read goes to, at levels 1 and 1+0."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    rebuild: RebuildParameters | dict[str, Any] | None = None
    """How what has taken a failed member's place is filled."""

    replaced_after: str | None = None
    """After how long somebody puts a new drive in the place of one that failed, where no spare has taken it. Left out: nobody does."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    source: str | None = None
    """Where its figures come from."""

    spares: int | None = None
    """How many of those that it lies on are hot spares: the last ones. A spare takes the place of a member that fails."""

    stripe_cache: StripeCacheParameters | dict[str, Any] | None = None
    """At levels 4, 5 and 6, how Linux md goes about them. Left out: request by request, with `stripe_locks` and `write_order`."""

    stripe_locks: bool | None = None
    """Whether one request after the other changes a stripe, as it must for its parity to be right. Left out only to do as simulators
    without it do.
    """

    stripe_unit: str | None = None
    """How much lies on a member before the next one's turn: a multiple of 512 bytes (mdadm: `--chunk`; 64 KiB before its version 3.1, 512
    KiB since). Without meaning at level 1.
    """

    stripe_width: int | None = None
    """At levels 5 and 6, units of a stripe with its parity, where stripes are narrower than the array: parity is declustered, and all
    members take part in a rebuild.
    """

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""

    write_behind: int | None = None
    """With a bitmap, writes with which those may be behind, so that nobody waits for them (mdadm: `--write-behind`; 256 where it has no
    number). Left out: none.
    """

    write_mostly: list[int] | None = None
    """At level 1, members that are mostly written: they are read only where no other is left (mdadm: `--write-mostly`)."""

    write_order: Literal["after-all-reads", "after-own-read"] | None = None
    """What a write waits for."""


@dataclass(kw_only=True)
class RaidCacheParameters(Part):
    """The memory of an array's controller: it serves what is read again, and with a battery it takes writes, which are reported once they
    are in it and written to the members later.
    """

    battery: bool | None = None
    """Whether a battery (or flash) keeps it when power fails. Without one, writes are reported when they are on the members, and flushes go
    to them.
    """

    depth: int | None = None
    """How many commands each member has on average of what is written from it, while somebody waits for room or nothing is asked; at other
    times one.
    """

    flush_every: str | None = None
    """It also writes all that isn't written so long after the first of it came, whatever is asked (LSI: cache flush interval). Left out:
    only as said above.
    """

    high: str | float | None = None
    """It begins to write to the members when more of it than this isn't written yet …"""

    idle: str | None = None
    """It also writes to the members when nothing has been asked of it for so long."""

    line: str | None = None
    """The pieces in which it keeps data: a multiple of 512 bytes, 64 of them at most."""

    low: str | float | None = None
    """… and goes on until no more than this is."""

    rate: str | None = None
    """How fast data go into it and come out of it, one request after the other. Left out: in no time."""

    read_ahead: str | None = None
    """How much it reads ahead of each member at most, for each who reads in order; of all of them together no more than half of it. It
    begins once somebody goes on where he stopped, with a stripe, and doubles. Left out: nothing.
    """

    size: str | None = None
    """How much it holds."""


@dataclass(kw_only=True)
class RawParameters(Part):
    """No file system: programs open the device `on` which it lies themselves, through its pages in the cache or past it (`direct`). Their
    files are its partitions, one behind the other; they can be read and written over (`operation = "rewrite"`), and no more.
    """

    type: Literal["raw"] | None = None
    """Which file system: `raw`, none."""


@dataclass(kw_only=True)
class ReadOneWriteAllPolicyParameters(Part):
    """RNWN: a file always has all copies, and a write goes to all of them."""

    kind: Literal["read-one-write-all"] = "read-one-write-all"


@dataclass(kw_only=True)
class Rearrangement(Part):
    """A device that is rearranged by use: its most used pieces change places with what lies in the middle of all uses, so that the arm
    moves less.
    """

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    every: str | None = None
    """How long uses are counted until pieces are moved, and then again and again. A day in the studies, at whose end disks are idle."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    keep: str | float | None = None
    """How much of what was counted stays for the next time; 0 % forgets everything but the last interval."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | None = None
    """The disk, array, fabric or replication that is rearranged."""

    order: Literal["organ-pipe", "front"] | None = None
    """Where the most used pieces go."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    piece: str | None = None
    """What is moved as a whole, a multiple of 4 KiB. Small pieces bring together just what is used; large ones keep what is read one after
    the other together.
    """

    pieces: int | None = None
    """How many pieces get a place by their use, the most used first; those that were used once stay where they are. Without it, all that
    were used more than once.
    """

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    traffic: Literal["simulated", "at-once", "magic"] | None = None
    """How pieces are moved. Two change places with two reads and two writes."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class RebuildParameters(Part):
    """How a member is rebuilt."""

    busy_depth: int | None = None
    """How many pieces at a time while others ask (Linux md since 2015: it waits for what it has begun, and goes on by 128 KiB). Left out:
    as many.
    """

    busy_rate: str | None = None
    """How fast at most while others ask for something. Left out: no slower."""

    depth: int | None = None
    """How many pieces at a time."""

    piece: str | None = None
    """How much is rebuilt at a time."""

    rate: str | None = None
    """How fast at most, of the member that is rebuilt (Linux md: `sync_speed_max`, 200 MB/s). Left out: as fast as it goes."""

    sample: int | None = None
    """Pieces that are rebuilt one by one to see how fast they go, before it advances over a long stretch at that pace where nobody asks for
    anything. 0: all of them go one by one.
    """


@dataclass(kw_only=True)
class RecordingWorkload(Part):
    """A program that `petrio record` recorded: its computing, messages and calls on files."""

    kind: Literal["recording"] = "recording"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    below: list[str] | None = None
    """Only files below these folders are on the simulated storage; calls on others take as long as they took. All, where none is named."""

    compute_scale: float | None = None
    """Computing times are multiplied by this, and divided by the `computing_speed` of the host's machine: 2 for processors half as fast as
    those on which it was recorded.
    """

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    more_recordings: list[str] | None = None
    """Recordings of the same program on other numbers of ranks: what it does on further ones follows from two or more."""

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    ranks: int | None = None
    """On how many ranks it runs: as many as one of the recordings has, or another number where all of them follow laws by which that is
    foretold. As many as `recording` has, where it is left out.
    """

    recording: str | None = None
    """The recording: the folder that `petrio record --out` wrote, or the trace in it."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """


@dataclass(kw_only=True)
class Recovery(Part):
    """What follows when OSDs stop."""

    down_out_interval: str | None = None
    """Others take over what lay on it once it has been found away for so long (mon_osd_down_out_interval, 600 s)."""

    grace: str | None = None
    """It is found out after so long, and what it was asked waits until then (osd_heartbeat_grace, 20 s)."""

    max_active: int | None = None
    """Objects of them that are under way (osd_recovery_max_active, 3 and 10)."""

    max_backfills: int | None = None
    """Placement groups that an OSD fills, or is filled for, at once (osd_max_backfills, 1)."""

    sleep: str | None = None
    """Rest before each object (osd_recovery_sleep, 0.1 s and 0)."""


@dataclass(kw_only=True)
class Rent(Part):
    """What one costs a month: the sum of what is given here."""

    date: str | None = None
    """When this was asked: a year, a month or a day."""

    hour: str | None = None
    """An hour, of which a month has 730."""

    included_iops: float | None = None
    """I/Os a second that cost nothing beside the size."""

    included_throughput: str | None = None
    """What passes in a second and costs nothing beside the size."""

    month: str | None = None
    """A month, whatever it is like."""

    most_iops: float | None = None
    """I/Os a second up to which the price is known."""

    per_gib: str | None = None
    """A month for each GiB of its size."""

    per_iops: str | None = None
    """A month for each I/O a second that is provisioned."""

    per_mb_per_s: str | None = None
    """A month for each MB/s that is provisioned."""

    per_mib_per_s: str | None = None
    """A month for each MiB/s that is provisioned."""

    sizes: list[SizeRent | dict[str, Any]] | None = None
    """A month by the size that is sold, where each has a price of its own."""

    source: str | None = None
    """By whom, in which region, and where that stands."""


@dataclass(kw_only=True)
class Replication(Part):
    """Several copies of files on several disks."""

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    budget: str | None = None
    """Space for all copies but the first of each file; left out, whatever they need. When it is short, files that have not been read for
    the longest time lose theirs.
    """

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    copies: int | None = None
    """Most copies of a file; left out, as many as there are disks (times `places`)."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    knows_rotation: bool | None = None
    """Whether the disk on which a copy lies can tell how far its platter has to turn, when a copy is chosen. Ivy counts the queue and the
    seek.
    """

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    memory: str | None = None
    """How far back reads and writes count for policies that go by their rates (to 1/e)."""

    messages: Messages | dict[str, Any] | None = None
    """What messages between nodes cost."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    nodes: StorageNodes | dict[str, Any] | None = None
    """The storage nodes that these disks are in; left out, they are reached at once (but for what `messages` cost)."""

    on: str | list[str] | None = None
    """The disks (or arrays) on which copies lie. Analytic disks (`petrio catalogue list`) tell exactly what a request would meet; of
    others, what is on its way to them is counted.
    """

    parallel: str | None = None
    """A read longer than this is split over the copies in such pieces; left out, one copy serves it."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    placement: Placement | dict[str, Any] | None = None
    """Which disks they go to."""

    places: int | None = None
    """Copies on one disk, at places evenly apart: a disk then offers so many times less space."""

    policy: PolicyParameters | dict[str, Any] | None = None
    """How the number of copies is decided."""

    protocol: Protocol | dict[str, Any] | None = None
    """How copies are kept alike."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    region: str | None = None
    """What belongs to no file (metadata, journals, requests of programs to the device itself) is kept in copies by pieces of the device of
    this size, each treated as a file.
    """

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    traffic: Literal["simulated", "at-once", "magic"] | None = None
    """How copies come to be."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""

    write_returns: Literal["first", "all"] | None = None
    """When a write to several copies is done, where the protocol is to write all, or a master."""


@dataclass(kw_only=True)
class San(Part):
    """A file system on disks that all of its hosts reach."""

    block: str | None = None
    """Bytes of a block: what is cached, read at least, and locked in ranges. A partition is some of them."""

    cache: str | None = None
    """Memory of each node for blocks that it has tokens for; it is its own, beside the host's page cache."""

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`."""

    largest_request: str | None = None
    """The largest request to a disk."""

    locks: Locks | dict[str, Any] | None = None
    """How its hosts keep what they have of files alike."""

    network: str | None = None
    """The network between its hosts and disks, whose `transport` (`"fibre-channel"`, `"iscsi"`) says how SCSI crosses it; may be left out
    where there is only one.
    """

    on: str | list[str] | None = None
    """The disks and arrays on which its files lie, such as `d*`: each is a target on the network."""

    partition: str | None = None
    """Bytes of a file that lie on a disk in one piece."""

    placement: Literal["round-robin", "by-file", "hashed"] | None = None
    """How files' partitions lie over the disks."""

    read_ahead: str | None = None
    """What is read ahead of a reader at most who goes on where he left off."""

    scsi: ScsiParameters | dict[str, Any] | None = None
    """How nodes and disks speak SCSI."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    write_back_after: str | None = None
    """How long what has been written waits for more before it is sent to the disks."""


@dataclass(kw_only=True)
class ScatterCutBackPolicyParameters(Part):
    """`scatter` and `cut-back-random` together."""

    kind: Literal["scatter-cut-back"] = "scatter-cut-back"

    after: str | None = None
    """How long after the file was made or last written."""

    age: str | None = None
    """Only when it is so old; a file that was there before the run is."""

    largest: str | None = None
    """Only up to this size."""

    misses: int | None = None
    """Only when it has been opened for reading and read from a disk so often."""

    most_writes: int | None = None
    """Only as long as it has been opened for writing no more often."""

    reads: int | None = None
    """Only when it has been opened for reading so often."""

    step: int | None = None
    """So many more at a time, each at its own event; left out, all at once."""


@dataclass(kw_only=True)
class ScatterPolicyParameters(Part):
    """No copies: each file lies on a disk by chance."""

    kind: Literal["scatter"] = "scatter"


@dataclass(kw_only=True)
class Scenario(Part):
    """A scenario: a system, what it is asked to do, what to measure and when to stop.

    Parts are named (`[disk.d0]`, `[workload.readers]`) and referred to by name or pattern. They may own others (`[host.server.disk.d]`),
    repeat with them (`count = 4`) and be described in files of their own (`use = "server.toml"`); a part's name is then its path
    (`server2/d3`), and references are looked for from where they stand outward to the root.
    """

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    measure: Measure | dict[str, Any] | None = None
    """What to measure, and when to stop."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    seed: int | None = None
    """Where random numbers begin. The same scenario and seed give the same report, byte for byte."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    title: str | None = None
    """What the scenario is about, in a line; the report's headline. Left out, it is the file's name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class Scheduler(Part):
    """The order in which waiting requests are served: a name, or a table with parameters"""

    kind: Literal["fcfs", "sstf", "look", "c-look", "cscan", "sptf", "aged-sptf"] | None = None

    longest_wait: str | None = None
    """Waiting time in the drive after which a command comes before any other; where all that waits would take longer than that in the worst
    order, so long.
    """


@dataclass(kw_only=True)
class ScriptWorkload(Part):
    """File operations one by one, as a script says."""

    kind: Literal["script"] = "script"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    places: dict[str, str] | None = None
    """Directories at the top of the script that lie on other file systems of the same host: { archive = "backup" }. They are there, and a
    file in them is on that file system: `create archive/a`.
    """

    processes: int | None = None
    """Processes that run it, each on files of its own."""

    repeat: int | None = None
    """How often all statements but the declarations of files are run."""

    script: str | None = None
    """The statements, such as `file a 64 KiB; read a 0 4 KiB; write a 0 4 KiB; fsync a`."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """


@dataclass(kw_only=True)
class ScsiParameters(Part):
    """How hosts and targets speak SCSI with each other, and what a target takes."""

    first_burst: str | None = None
    """Bytes of a write that may go before the target is ready, where they needn't wait (`FirstBurstLength`); left out, 64 KiB (RFC 7143)."""

    immediate_data: bool | None = None
    """Whether the first 8 KiB of a write go with its command (iSCSI's `ImmediateData`); left out, yes with iSCSI (RFC 7143), and never with
    Fibre Channel.
    """

    initial_ready: bool | None = None
    """Whether a write's other data wait until the target is ready for them (iSCSI's `InitialR2T`, Fibre Channel's FCP_XFER_RDY); left out,
    yes.
    """

    max_burst: str | None = None
    """Bytes of a write that a target is ready for at a time (`MaxBurstLength`); left out, 256 KiB with iSCSI (RFC 7143), and all with Fibre
    Channel.
    """

    overhead: str | None = None
    """A target's work on each command, one after the other, before what it lies on is asked."""

    queue_depth: int | None = None
    """Commands that a target takes at a time: others wait before it. Left out, as many as what it lies on accepts."""


@dataclass(kw_only=True)
class SeisParallelProgram(Part):
    """seis of SPEChpc96: its first two phases."""

    kind: Literal["seis"] = "seis"

    data: str | None = None
    """The data set, of all ranks together; rounded up so that each rank writes whole chunks."""

    read_chunk: str | None = None
    """A chunk as it is read in phase 2; a part of a written one."""

    read_compute: str | None = None
    """How long a rank computes on each chunk that it has read."""

    share: Literal["dealt", "parts", "neighbour"] | None = None
    """Which chunks of the others a rank reads."""

    write_chunk: str | None = None
    """A chunk as it is written in phase 1."""

    write_compute: str | None = None
    """How long a rank computes on each chunk before it writes it."""


@dataclass(kw_only=True)
class ServerFailure(Part):
    """A server that fails for a while."""

    at: str | None = None
    """When it begins."""

    restored_after: str | None = None
    """How long it takes. Left out: to the end of the run."""

    slower_by: str | None = None
    """Of a server that is slow: how much longer each request takes."""

    what: Literal["stops", "unreachable", "slow", "exits"] | None = None
    """What fails."""


@dataclass(kw_only=True)
class ServiceLevels(Part):
    """Service levels of messages (InfiniBand's SL), 0 to 15."""

    requests: int | None = None
    """Of requests and answers, small ones with their data."""

    transfers: int | None = None
    """Of messages of data."""


@dataclass(kw_only=True)
class Share(Part):
    """A file service over a network: one server's file system for all clients (a NAS), or those of several, on which partitions of files
    lie (SAN-direct, where every node serves its own disk to the others).
    """

    clients: str | list[str] | None = None
    """The hosts that mount it. Workloads go to `node3/NAME`, which is its mount on the host node3, or to `node*/NAME`."""

    connections: Literal["host", "process"] | None = None
    """Who has a connection to each server: `host` or `process`. What one connection sends goes one message after the other; several share a
    link in turns.
    """

    costs: ShareCosts | dict[str, Any] | None = None
    """What else costs time of processors."""

    in_flight: int | None = None
    """Calls of a client that are on their way at a time, to all servers together (Linux: `tcp_slot_table_entries`)."""

    names: Literal["stable", "on-sync"] | None = None
    """When changes of names are on disk; left out, stable, but with `writes = "on-sync"` on-sync, too."""

    network: str | None = None
    """The network between its clients and servers; may be left out where there is only one."""

    partition: str | None = None
    """Bytes of a partition: as much of a file is on one server before another's turn may come."""

    placement: SharePlacement | dict[str, Any] | None = None
    """Where partitions of files lie where there are several servers."""

    servers: str | list[str] | None = None
    """The file systems of hosts that are served: one, such as `server/data`, or several, such as `node*/data`, in their order. A client
    asks for what lies on its own host past network and servers.
    """

    threads: int | None = None
    """Threads of each server, each of which does one call at a time (Linux: the number that `rpc.nfsd` is given)."""

    transfer: str | None = None
    """The largest read or write of one call over the network (NFS: `rsize`, `wsize`). A call is of one server, so that it is no longer than
    a partition either, unless files lie whole on servers.
    """

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    writes: Literal["stable", "on-close", "on-sync"] | None = None
    """When what is written is on disk."""


@dataclass(kw_only=True)
class ShareCosts(Part):
    """What work costs, as time of the processors of the host that does it; copies apart, which cost a client what its machine says, and a
    server's file system what its own does.

    What is left out is of a machine of today. With nfs-ganesha 4.3 and libnfs 4.0 on a virtual machine with an EPYC 9005, a call that
    reads 1 KiB from memory took 139 us of processors, both ends and TCP together (4,067 calls a second, 28 % of two); Linux's own client
    and server, which don't leave the kernel, are assumed to need half of that.
    """

    answer: str | None = None
    """An answer that a client hears."""

    call: str | None = None
    """Sending a call to a server."""

    operation: str | None = None
    """What a program asks for on a client: the way into the kernel, and finding out where it lies."""

    serve: str | None = None
    """A call on a server: decoding, finding the file, encoding the answer."""


@dataclass(kw_only=True)
class SharePlacement(Part):
    """Where partitions of files lie."""

    profile: str | None = None


@dataclass(kw_only=True)
class SharedMemory(Part):
    """How processes of one host give each other messages: through memory that both have."""

    each: str | None = None
    """Time of a processor for each message."""

    kib: str | None = None
    """Time of a processor for each KiB that it copies."""


@dataclass(kw_only=True)
class SizeRange(Part):
    """The ends of a range of sizes."""

    _keys = {"from_": "from"}

    from_: str | None = None
    """The smallest; all are multiples of it."""

    to: str | None = None
    """The largest."""


@dataclass(kw_only=True)
class SizeRent(Part):
    """What a size costs."""

    month: str | None = None
    """A month."""

    size: str | None = None
    """The size that is sold."""


@dataclass(kw_only=True)
class SizeShare(Part):
    """A size and how many of the accesses have it."""

    share: str | float | None = None
    """How many of the accesses have it, in whole per cents; all shares come to 100 %."""

    size: str | None = None
    """The size."""


@dataclass(kw_only=True)
class Sizes(Part):
    """How long accesses are."""

    _keys = {"from_": "from"}

    from_: str | None = None
    """The smallest; all are multiples of it."""

    to: str | None = None
    """The largest."""


@dataclass(kw_only=True)
class SptfQueueDiscipline(Part):
    """Shortest positioning time (seek, settling and rotation) first."""

    kind: Literal["sptf"] = "sptf"


@dataclass(kw_only=True)
class SstfQueueDiscipline(Part):
    """Shortest seek time first."""

    kind: Literal["sstf"] = "sstf"


@dataclass(kw_only=True)
class StarTable(Part):
    """One switch."""

    kind: Literal["star"] = "star"


@dataclass(kw_only=True)
class SteadyState(Part):
    """What has to stay the same, and how nearly."""

    absolute: bool | None = None
    """Whether the limit is no part of the mean."""

    interval: str | None = None
    """How long each goes."""

    limit: float | None = None
    """Than this: per cent of their mean, or with `absolute` accesses or bytes a second, or nanoseconds."""

    of: Literal["accesses", "bytes", "latency"] | None = None
    """Of what."""

    ramp: str | None = None
    """From when on they are looked at."""

    slope: bool | None = None
    """The line through the last values is no steeper, from one to the next; left out, none of them is farther from their mean."""

    together: bool | None = None
    """Whether all processes together are looked at, and end together (fio's `group_reporting`)."""

    window: str | None = None
    """How long values go back."""


@dataclass(kw_only=True)
class StepFile(Part):
    """What of a file all ranks write or read."""

    bytes: str | None = None
    """Bytes of each rank."""

    collective: bool | None = None
    """Whether the accesses of all ranks to one file are collective ones of MPI-IO."""

    file: str | None = None
    """Its name; with `layout = "n-n"` of a rank's each, after which the rank's number stands."""

    fsync: bool | None = None
    """Whether what is written is made durable by each rank (fsync) before the file is closed. Of writes only."""

    layout: Literal["n-n", "n-1", "n-1-strided"] | None = None
    """Where the ranks' parts lie."""

    transfer: str | None = None
    """Bytes of one access. Left out, all of a rank's by one."""


@dataclass(kw_only=True)
class StepParameters(Part):
    """What all ranks do next. A step is over for a rank when its own part of it is: nobody waits for others beyond that."""

    _keys = {"all_reduce": "all-reduce", "all_gather": "all-gather", "all_to_all": "all-to-all", "fetch_and_add": "fetch-and-add"}

    compute: str | None = None
    """A duration with its unit, such as "5 ms" """

    broadcast: dict[str, Any] | None = None

    reduce: dict[str, Any] | None = None

    all_reduce: dict[str, Any] | None = None

    gather: dict[str, Any] | None = None

    scatter: dict[str, Any] | None = None

    all_gather: dict[str, Any] | None = None

    all_to_all: dict[str, Any] | None = None

    send: list[MessageParameters | dict[str, Any]] | None = None

    shift: dict[str, Any] | None = None

    pairs: dict[str, Any] | None = None

    put: WindowParameters | dict[str, Any] | None = None
    """Whose memory each rank accesses: that of one rank, or of the one that comes so many after it."""

    get: WindowParameters | dict[str, Any] | None = None
    """Whose memory each rank accesses: that of one rank, or of the one that comes so many after it."""

    accumulate: WindowParameters | dict[str, Any] | None = None
    """Whose memory each rank accesses: that of one rank, or of the one that comes so many after it."""

    fetch_and_add: CounterParameters | dict[str, Any] | None = None
    """Whose number each rank adds to."""

    halo: dict[str, Any] | None = None

    write: StepFile | dict[str, Any] | None = None
    """What of a file all ranks write or read."""

    read: StepFile | dict[str, Any] | None = None
    """What of a file all ranks write or read."""

    repeat: dict[str, Any] | None = None


@dataclass(kw_only=True)
class StepsParallelProgram(Part):
    """Steps of one's own: computing, messages, collective operations, files."""

    kind: Literal["steps"] = "steps"

    steps: list[StepParameters | dict[str, Any]] | None = None
    """What is done."""


@dataclass(kw_only=True)
class Stop(Part):
    """When a run has measured enough. Of several conditions, the one that is met first counts."""

    precision: str | float | None = None
    """When the half-width of the mean latency's confidence interval is this small a part of the mean. It says how many replications there
    are; what ends each of them is the workload, `requests` or `time`.
    """

    requests: int | None = None
    """After this many completed requests, warm-up included; messages between processes are none."""

    time: str | None = None
    """After this span of model time, warm-up included."""


@dataclass(kw_only=True)
class StorageNodes(Part):
    """Storage nodes: each disk with processors and memory of its own, on a network with all others (DataMesh). Requests come to a spigot,
    which is on the network, too.
    """

    block: str | None = None
    """What is kept in memory and given up together."""

    memory: str | None = None
    """Memory of each node that keeps what was read and written, and is written through; left out, none."""

    message: str | None = None
    """Bytes of a message, data and the network's headers left out."""

    network: str | None = None
    """The network of the nodes, `[network.NAME]`, which connects nothing else. The spigot is called as the replication is, and each node as
    its disk.
    """

    processors: int | None = None
    """Processors of each node and of the spigot. What messages cost them are the network's `costs`."""

    work: str | None = None
    """Processor time of each request that a node serves, before its memory is looked into."""


@dataclass(kw_only=True)
class Store(Part):
    """How an OSD works and writes; what is left out is what 16.2 has for what turns, or for what doesn't."""

    cache: str | None = None
    """Memory that keeps what was read (of `osd_memory_target`, what its metadata leave). Left out, none."""

    deferred_batch: int | None = None
    """So many of them are brought to their places together (64 and 16)."""

    max_defer_interval: str | None = None
    """And after so long in any case (3 s)."""

    min_alloc_size: str | None = None
    """What is allocated at least (4 KiB). A write of less goes by way of the log."""

    prefer_deferred_size: str | None = None
    """Writes of so many bytes or less go into the log with their transaction and to their place later (64 KiB and 0)."""

    shards: int | None = None
    """Queues of operations; those of a placement group are in one (5 and 8)."""

    threads_per_shard: int | None = None
    """Threads of each of them (1 and 2)."""

    transaction: str | None = None
    """Bytes of a transaction in RocksDB's log, data left out (5900 B, counted by BlueFS for overwrites of 4 KiB)."""


@dataclass(kw_only=True)
class StreamParallelProgram(Part):
    """Messages of one size from each sender to its receiver, a few at a time."""

    kind: Literal["stream"] = "stream"

    bytes: str | None = None
    """Of each message."""

    duration: str | None = None
    """After so long a sender ends, whatever it has moved. Not with `ping_pong`, whose receivers couldn't know."""

    in_flight: int | None = None
    """So many messages of a sender are under way at a time."""

    ping_pong: bool | None = None
    """Whether each message is answered by one as long before the next one; one is under way at a time then."""

    total: str | None = None
    """Of all messages of a sender; the last one is shorter where it must be."""

    verb: Literal["write", "read"] | None = None
    """Whether senders write to their receivers' memory or read from it."""


@dataclass(kw_only=True)
class Strides(Part):
    """Areas that are gone through one after the other."""

    amount: str | None = None
    """Bytes that are accessed in an area before the next one (fio's `zonesize`)."""

    range: str | None = None
    """How large an area is (fio's `zonerange`)."""

    skip: str | None = None
    """How far behind its end the next one begins (fio's `zoneskip`)."""


@dataclass(kw_only=True)
class StripeCacheParameters(Part):
    """How Linux md works at levels 4, 5 and 6: by rows of one page a member, which gather in a cache and are handled by a thread."""

    bypass: int | None = None
    """How many rows that are written whole may go before one that must be read first (`preread_bypass_threshold`; 1)."""

    largest_request: str | None = None
    """The largest request that pages which go on from each other are put together to (`max_sectors_kb` of the members, or their
    `max_segments` pages).
    """

    page_rate: str | None = None
    """How fast a thread copies data and makes parity of them. Left out: in no time."""

    row_time: str | None = None
    """What a thread takes for each row that it handles. Left out: no time."""

    rows: int | None = None
    """Rows that it holds, of 4 KiB of each member (`stripe_cache_size`; 256). Writers wait where all are in use; it grows by one for them
    whenever the thread is done, up to 32768, as where memory is free.
    """

    skip_copy: bool | None = None
    """Whether pages that are written whole go to the members from their owner's memory (`skip_copy`): a copy less, and the cache knows
    nothing of them afterwards.
    """

    threads: int | None = None
    """Threads that handle rows beside md's own, eight rows at a time each (`group_thread_cnt`; 0)."""


@dataclass(kw_only=True)
class Submitting(Part):
    """How many accesses are submitted and waited for together; 0 is one by one."""

    refills_at: int | None = None
    """Further ones are issued only when so few are left (fio's `iodepth_low`); 0: as soon as there is room."""

    takes: int | None = None
    """So many that are done are taken back at a time at most (`iodepth_batch_complete_max`)."""

    together: int | None = None
    """So many go to the kernel in one call (`iodepth_batch_submit`)."""

    waits_for: int | None = None
    """Where all that may be are in flight, so many are waited for at least (fio's `iodepth_batch_complete_min`)."""


@dataclass(kw_only=True)
class SyntheticLoad(Part):
    """Random requests of a described sort, by generators that run side by side."""

    duration: str | None = None
    """For how long requests are issued. Left out: no limit."""

    generators: list[Generator | dict[str, Any]] | None = None
    """The generators."""

    on: str | list[str] | None = None
    """The disks that the requests go to. A generator's `devices` are positions in this list, from 0; left out, they are all of them."""

    processors: int | None = None
    """How many processors the generators share (DiskSim: number of processors): each thinks on one, and keeps it until it waits for a
    request. Left out: each has its own.
    """

    requests: int | None = None
    """How many requests all generators issue together. Left out: no limit."""

    time_scale: float | None = None
    """Factor on the times between requests: 0.5 asks twice as often, with the same requests."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class SyntheticWorkload(Part):
    """Random requests of a described sort."""

    kind: Literal["synthetic"] = "synthetic"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    duration: str | None = None
    """For how long requests are issued. Left out: no limit."""

    generators: list[Generator | dict[str, Any]] | None = None
    """The generators."""

    on: str | list[str] | None = None
    """The disks that the requests go to. A generator's `devices` are positions in this list, from 0; left out, they are all of them."""

    processors: int | None = None
    """How many processors the generators share (DiskSim: number of processors): each thinks on one, and keeps it until it waits for a
    request. Left out: each has its own.
    """

    requests: int | None = None
    """How many requests all generators issue together. Left out: no limit."""

    time_scale: float | None = None
    """Factor on the times between requests: 0.5 asks twice as often, with the same requests."""


@dataclass(kw_only=True)
class Table(Part):
    """The table that may stand in place of a word."""

    kind: Literal["hub", "star", "tree", "fat-tree", "mesh", "torus", "dragonfly", "links"] | None = None

    hosts_per_switch: int | None = None
    """Hosts at each edge switch."""

    uplinks: int | None = None
    """Parallel links from each edge switch to the core; connections are spread over them by a hash."""

    levels: int | None = None
    """Levels of switches, 2 (room for ports² / 2 hosts) or 3 (ports³ / 4); left out, as few as the hosts need."""

    ports: int | None = None
    """Ports of each switch, an even number: half of them lead down, except at the top."""

    routing: Literal["by-destination", "by-flow"] | None = None
    """How a message finds its way up."""

    dimensions: list[int] | None = None
    """Switches along each dimension, as `[8, 8, 4]`; hosts fill the first dimension first."""

    arrangement: Literal["palmtree", "consecutive"] | None = None
    """Which global link leads to which group."""

    global_links: int | None = None
    """Links from each switch to other groups (h)."""

    groups: int | None = None
    """Groups (g)."""

    switches_per_group: int | None = None
    """Switches in each group, each connected with each (a)."""

    links: list[LinkParameters | dict[str, Any]] | None = None
    """The links; what they connect and is no host is a switch."""


@dataclass(kw_only=True)
class Table2(Part):
    """A scheduler and its parameters."""

    kind: Literal["noop", "deadline", "mq-deadline", "anticipatory", "cfq", "bfq", "kyber"] | None = None

    fifo_batch: int | None = None
    """Requests in a batch (`fifo_batch`; 16)."""

    front_merges: bool | None = None
    """Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1)."""

    read_expire: str | None = None
    """How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in deadline-iosched.c)."""

    write_expire: str | None = None
    """How long a write may wait, likewise (`write_expire`; 5·HZ)."""

    writes_starved: int | None = None
    """How many batches of reads may pass writes that wait (`writes_starved`; 2)."""

    prio_aging_expire: str | None = None
    """How long requests of a lower I/O class wait behind those of a higher one (`prio_aging_expire`; 10·HZ)."""

    antic_expire: str | None = None
    """How long a process' next read is waited for (`antic_expire`; HZ/150). Zero switches anticipation off."""

    back_seek_max: str | None = None
    """The furthest that the head goes back within a sweep (MAXBACK; 1,048,576 blocks)."""

    back_seek_penalty: int | None = None
    """How much longer a way back counts than the same way forward (BACK_PENALTY; 2)."""

    first_write_batch: int | None = None
    """Most writes in the first batch; later ones are as large as fits `write_batch_expire` (as_init_queue: 12 at 1,000 Hz)."""

    read_batch_expire: str | None = None
    """How long reads go on while writes wait (`read_batch_expire`; HZ/2)."""

    think_time_max: str | None = None
    """Longer think times count as this one (MAX_THINKTIME; HZ/50)."""

    write_batch_expire: str | None = None
    """How long writes go on while reads wait (`write_batch_expire`; HZ/8)."""

    fifo_expire_async: str | None = None
    """How long one that nobody waits for may wait, likewise (`fifo_expire_async`; HZ/4)."""

    fifo_expire_sync: str | None = None
    """How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; HZ/8)."""

    quantum: int | None = None
    """Most requests of a queue that are dispatched at a time (`quantum`). Left out: 4, and 8 with service trees."""

    real_time_preempts: bool | None = None
    """Whether a real-time request ends the slice of another class, as it always does with service trees. 2.6.24 lets it come to its end."""

    service_trees: bool | None = None
    """Whether queues stand in trees by kind of work, and idling follows from how many do. Left out: as the kernel does it (from 2.6.33 on;
    `block.service_trees` of its profile).
    """

    slice_async: str | None = None
    """The slice of a shared queue, likewise (`slice_async`; HZ/25)."""

    slice_async_rq: int | None = None
    """Requests of a shared queue in a slice: twice this at priority 7, and as many more for each priority above (`slice_async_rq`; 2)."""

    slice_idle: str | None = None
    """How long a process' next request is waited for (`slice_idle`; HZ/125). Zero switches idling off."""

    slice_sync: str | None = None
    """The slice of a process' queue at priority 4 (`slice_sync`; HZ/10); a fifth more or less for each priority."""

    target_latency: str | None = None
    """In which time every process gets a turn: slices become shorter for it (`target_latency`). Zero leaves them as they are. Left out:
    zero, and 300 ms with service trees.
    """

    async_charge_factor: int | None = None
    """How much more what nobody waits for is charged (bfq_async_charge_factor; 3), unless shares differ."""

    low_latency: bool | None = None
    """Whether processes that have just begun to ask, or ask for little at a time, weigh 30 and 3,000 times as much for a while
    (`low_latency`; 1).
    """

    max_budget: str | None = None
    """The most that a queue is served in a turn (`max_budget`; 0). Zero: 16,384 blocks at first, and then what the device has been seen to
    serve at its best in the time of a turn.
    """

    strict_guarantees: bool | None = None
    """Whether shares are kept at any price: one request at a time, and always idling (`strict_guarantees`; 0)."""

    timeout: str | None = None
    """How long a turn lasts at most (`timeout_sync`; HZ/8)."""

    discard_depth: int | None = None
    """Most discards in flight (kyber_depth; 64). At least one is let through."""

    read_batch: int | None = None
    """Reads in a batch (kyber_batch_size; 16)."""

    read_depth: int | None = None
    """Most reads in flight (kyber_depth; 256). At least one is let through."""

    read_target: str | None = None
    """The latency that reads should keep (`read_lat_nsec`; 2 ms in kyber-iosched.c)."""

    write_batch: int | None = None
    """Writes in a batch (kyber_batch_size; 8)."""

    write_depth: int | None = None
    """Most writes in flight (kyber_depth; 128). At least one is let through."""

    write_target: str | None = None
    """The latency that writes should keep (`write_lat_nsec`; 10 ms)."""


@dataclass(kw_only=True)
class TcpParameters(Part):
    """How the hosts' TCP behaves at the level of packets. The defaults are those of Linux."""

    delayed_ack: str | None = None
    """How long a receiver waits for another segment before it acknowledges one: 40 ms (Linux's TCP_DELACK_MIN; RFC 5681 allows 500 ms)."""

    duplicate_acks: int | None = None
    """Repeated acknowledgements after which a segment is taken for lost: 3 (RFC 5681, section 3.2)."""

    initial_window: int | None = None
    """Segments that a new connection sends before it has heard of any: 10 (RFC 6928; Linux's TCP_INIT_CWND)."""

    rto_max: str | None = None
    """The longest retransmission time-out: 120 s (Linux's TCP_RTO_MAX)."""

    rto_min: str | None = None
    """The shortest retransmission time-out: 200 ms (Linux's TCP_RTO_MIN; RFC 6298 would have 1 s). It is also the first one, for the
    handshake has measured the round trip.
    """

    segments_per_ack: int | None = None
    """Segments that are acknowledged together: 2 (RFC 5681, section 4.2); 1 delays no acknowledgement."""

    slow_start_after_idle: bool | None = None
    """Whether a connection that has been idle for longer than its time-out begins with the initial window again: yes (RFC 5681, section
    4.1; Linux's net.ipv4.tcp_slow_start_after_idle).
    """


@dataclass(kw_only=True)
class Throttle(Part):
    """A limit on what a host may ask of a device: as the kernel keeps it for a control group, where requests are charged before they are
    merged, or as QEMU keeps it for a guest's drive.
    """

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    credits: str | float | None = None
    """How full the buckets of bursts are when a run begins; left out, full."""

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    iops: int | None = None
    """Reads and writes a second together (QEMU's `iops-total`, libvirt's `total_iops_sec`)."""

    iops_max: int | None = None
    """Reads and writes a second in a burst (`iops-total-max`)."""

    iops_max_length: str | None = None
    """How long bursts of requests last at least (`iops-*-max-length`): the bucket holds as many as pass in it. Whole seconds."""

    iops_size: str | None = None
    """Bytes of a request that count as one; a longer one counts as many as it has of them (`iops-size`, `size_iops_sec`)."""

    kept_by: Literal["linux", "qemu"] | None = None
    """Who keeps the accounts: the kernel of a control group, or QEMU. Bursts and limits on reads and writes together are QEMU's alone."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | None = None
    """The disk, array or fabric that it protects."""

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    rate: str | None = None
    """Bytes read and written a second together (`bps-total`, `total_bytes_sec`)."""

    rate_max: str | None = None
    """Bytes read and written a second in a burst (`bps-total-max`)."""

    rate_max_length: str | None = None
    """The same of bursts of bytes (`bps-*-max-length`)."""

    read_iops: int | None = None
    """Reads a second (`blkio.throttle.read_iops_device`, `riops` of `io.max`; QEMU's `iops-read`)."""

    read_iops_max: int | None = None
    """Reads a second in a burst (`iops-read-max`)."""

    read_rate: str | None = None
    """Bytes read a second (`blkio.throttle.read_bps_device`, `rbps`; `bps-read`)."""

    read_rate_max: str | None = None
    """Bytes read a second in a burst (`bps-read-max`)."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    ticks_per_second: int | None = None
    """Timer ticks a second of the kernel that keeps the accounts, from 10 to 10,000 (`CONFIG_HZ`; 250 in most distributions' kernels). QEMU
    counts nanoseconds.
    """

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""

    write_iops: int | None = None
    """Writes and flushes a second (`blkio.throttle.write_iops_device`, `wiops`); of QEMU writes alone (`iops-write`)."""

    write_iops_max: int | None = None
    """Writes a second in a burst (`iops-write-max`)."""

    write_rate: str | None = None
    """Bytes written a second (`blkio.throttle.write_bps_device`, `wbps`; `bps-write`)."""

    write_rate_max: str | None = None
    """Bytes written a second in a burst (`bps-write-max`)."""


@dataclass(kw_only=True)
class TmpfsParameters(Part):
    """A file system that lives in memory, and in swap space where memory is short: it lies `on` nothing, `size` is what its files may take
    together (left out, half of the host's memory), and it has neither a journal nor a queue.
    """

    type: Literal["tmpfs"] | None = None
    """Which file system: `tmpfs`."""


@dataclass(kw_only=True)
class Topology(Part):
    """Which switches a network has, and how they and the hosts are connected"""

    kind: Literal["hub", "star", "tree", "fat-tree", "mesh", "torus", "dragonfly", "links"] | None = None

    hosts_per_switch: int | None = None
    """Hosts at each edge switch."""

    uplinks: int | None = None
    """Parallel links from each edge switch to the core; connections are spread over them by a hash."""

    levels: int | None = None
    """Levels of switches, 2 (room for ports² / 2 hosts) or 3 (ports³ / 4); left out, as few as the hosts need."""

    ports: int | None = None
    """Ports of each switch, an even number: half of them lead down, except at the top."""

    routing: Literal["by-destination", "by-flow"] | None = None
    """How a message finds its way up."""

    dimensions: list[int] | None = None
    """Switches along each dimension, as `[8, 8, 4]`; hosts fill the first dimension first."""

    arrangement: Literal["palmtree", "consecutive"] | None = None
    """Which global link leads to which group."""

    global_links: int | None = None
    """Links from each switch to other groups (h)."""

    groups: int | None = None
    """Groups (g)."""

    switches_per_group: int | None = None
    """Switches in each group, each connected with each (a)."""

    links: list[LinkParameters | dict[str, Any]] | None = None
    """The links; what they connect and is no host is a switch."""


@dataclass(kw_only=True)
class TorusTable(Part):
    """Switches in a grid whose ends are connected."""

    kind: Literal["torus"] = "torus"

    dimensions: list[int] | None = None
    """Switches along each dimension, as `[8, 8, 4]`; hosts fill the first dimension first."""

    hosts_per_switch: int | None = None
    """Hosts at each switch."""


@dataclass(kw_only=True)
class TraceWorkload(Part):
    """Recorded block requests, played back."""

    kind: Literal["trace"] = "trace"

    alignment: Literal["each", "shared"] | None = None
    """Whether each file begins at time zero, or they share a clock."""

    columns: NamedColumns | dict[str, Any] | None = None
    """Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" }; its first line
    has the names. Needs `units`.
    """

    devices: dict[str, str] | None = None
    """Which device of the trace goes to which disk, where the order of `on` doesn't say it: { 8 = "d0", 9 = "d1" }."""

    file: str | None = None
    """The same as `files`."""

    files: list[str] | None = None
    """The trace files, merged by time; relative to the scenario's folder. gzip, bzip2, xz and zstandard are unpacked."""

    format: str | None = None
    """The files' format; left out, it is told from their content."""

    limit: int | None = None
    """Play no more than this many requests."""

    on: str | list[str] | None = None
    """The disks that the requests go to. The trace's first device goes to the first of them, and so on; one disk takes all. A disk on which
    a file system lies has its host's queue and scheduler before it, which the requests pass, too.
    """

    only_device: str | None = None
    """Play only the requests to this device: its number in the trace, or its major and minor number such as "8,16"."""

    out_of_range: Literal["error", "skip", "wrap"] | None = None
    """What becomes of a request that lies beyond the end of its disk."""

    outstanding: int | None = None
    """In a closed replay, the most requests that a process has in flight; left out, as many as the trace shows, or 1."""

    processes: Literal["apart", "together"] | None = None
    """In a closed replay, whether the processes of the trace wait each for itself."""

    reorder_window: int | None = None
    """How many records out of place a record may be; left out, 0, or 1,024 for formats collected per processor."""

    replay: Literal["open", "closed"] | None = None
    """Whether requests keep their arrival times (open), or each follows the completion of the one before after its recorded think time
    (closed).
    """

    time_scale: float | None = None
    """Factor on arrival and think times: 0.5 plays the trace twice as fast."""

    units: ColumnUnits | dict[str, Any] | None = None
    """The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""


@dataclass(kw_only=True)
class Traffic(Part):
    """Background traffic."""

    _keys = {"from_": "from"}

    from_: str | list[str] | None = None
    """The hosts that send: a name, a pattern such as `client*`, or a list of these."""

    message: str | None = None
    """Bytes of a message."""

    multicast: bool | None = None
    """Whether each message goes to all of these at once: switches copy it along one tree of links (multicast of InfiniBand or IP)."""

    rate: str | None = None
    """Bits or bytes a second of each host that sends, headers left out."""

    service_level: int | None = None
    """Its service level: which of several virtual lanes it takes."""

    spacing: Literal["random", "even"] | None = None
    """What lies between two messages of a host."""

    to: str | list[str] | None = None
    """The hosts that are sent to, each time one by chance."""


@dataclass(kw_only=True)
class TrainingParallelProgram(Part):
    """Training of a neural network, as MLPerf Storage does it."""

    kind: Literal["training"] = "training"

    batch: int | None = None
    """Samples of a step of each accelerator: 7, 400, 1."""

    epochs: int | None = None
    """Times that all samples are gone through (MLPerf Storage: 5)."""

    files: int | None = None
    """Files of the data set: 168 (unet3d), 1024 (resnet50), 524,288 (cosmoflow)."""

    gradients: str | None = None
    """Bytes of gradients that all accelerators sum up after each step. Left out, none, as MLPerf Storage does it."""

    model: Literal["unet3d", "resnet50", "cosmoflow"] | None = None
    """Whose figures hold where nothing else is said (MLPerf Storage 1.0, H100)."""

    prefetch: int | None = None
    """Batches that a reader has ready at most before its accelerator has taken one (PyTorch's prefetch_factor)."""

    readers: int | None = None
    """Readers of each accelerator: 4, 8, 4."""

    sample: DrawOfBytes | dict[str, Any] | None = None
    """Bytes of a sample, drawn for each file: normally distributed around 146.6 MB with a standard deviation of 68.3 MB (drawn again where
    nothing would be left); 114,660 B; normally distributed around 2.83 MB with 71.3 kB.
    """

    samples_per_file: int | None = None
    """Samples in each file: 1, 1251, 1."""

    step_time: str | None = None
    """How long an accelerator computes on a batch: 0.323 s, 0.224 s, 3.5 ms."""

    transfer: str | None = None
    """Bytes of one read. Left out, a sample by one."""


@dataclass(kw_only=True)
class TransactionProtocol(Part):
    """A write is logged at all copies, committed at the master, then done (two-phase commit); writes of a file wait for each other."""

    kind: Literal["transaction"] = "transaction"

    log: str | None = None
    """The log at the end of each disk, written round and round."""


@dataclass(kw_only=True)
class TreeTable(Part):
    """Edge switches below one core switch."""

    kind: Literal["tree"] = "tree"

    hosts_per_switch: int | None = None
    """Hosts at each edge switch."""

    uplinks: int | None = None
    """Parallel links from each edge switch to the core; connections are spread over them by a hash."""


@dataclass(kw_only=True)
class UnixHost(Part):
    """A Unix host of 1990 with its file systems. Where it has one, workloads name the host as they name one of `[fs.NAME]`; of several each
    has the name of its disk behind the host's: `"host/d0"`, and `"host/*"` is all of them.
    """

    beegfs: dict[str, Beegfs | dict[str, Any]] | None = None
    """The BeeGFS file systems, by name."""

    biods: int | None = None
    """Processes that read ahead and write behind over NFS, one block each at a time (biod(8)); without any a process waits for each block
    itself.
    """

    block: str | None = None
    """A block of the file system, and a buffer."""

    box: dict[str, Box | dict[str, Any]] | None = None
    """Boxes of parts, by name."""

    buffer_share: str | float | None = None
    """The share of it that holds file blocks."""

    call: str | None = None
    """Processor time of a system call."""

    ceph: dict[str, Ceph | dict[str, Any]] | None = None
    """Pools of Ceph's OSDs with an image of RBD, by name."""

    concat: dict[str, Concat | dict[str, Any]] | None = None
    """Several disks as one, each after the other, by name."""

    copy: str | None = None
    """How fast data are copied between a process and the buffers; without one, at once."""

    count: int | None = None
    """How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on, each with all parts that it
    owns.
    """

    cylinder_group: str | None = None
    """Size of a cylinder group, in which a directory's files are kept together."""

    delayed: str | None = None
    """How long a write must have been delayed for the daemon to write it."""

    disk: dict[str, Disk | dict[str, Any]] | None = None
    """The disks, by name."""

    fabric: dict[str, Fabric | dict[str, Any]] | None = None
    """Networks between hosts and their storage, by name."""

    fragment: str | None = None
    """The smallest piece of a block that a file's end takes."""

    fs: dict[str, FileSystem | dict[str, Any]] | None = None
    """The file systems, by name."""

    hba: dict[str, Adapter | dict[str, Any]] | None = None
    """Host bus adapters on whose channels disks hang, by name."""

    host: dict[str, Host | dict[str, Any]] | None = None
    """The hosts, by name."""

    lustre: dict[str, Lustre | dict[str, Any]] | None = None
    """The Lustre file systems, by name."""

    memory: str | None = None
    """Main memory."""

    metadata: bool | None = None
    """Whether changes of directories and inodes are written (synchronously). Ivy leaves them out."""

    mpi: dict[str, Mpi | dict[str, Any]] | None = None
    """What carries messages between the processes of parallel programs, by name."""

    multipath: dict[str, Multipath | dict[str, Any]] | None = None
    """Several paths to a device or array, of which some may fail, by name."""

    network: dict[str, Network | dict[str, Any]] | None = None
    """The networks between hosts, by name."""

    nfs: dict[str, Nfs | dict[str, Any]] | None = None
    """The exports of servers that hosts mount by NFS, by name."""

    on: str | list[str] | None = None
    """The disk, array, partition or replication that its file system lies on; or several, each with a file system of its own: `["d0",
    "d1"]`, `"d*"`. All are under one buffer cache and one sync daemon.
    """

    partition: dict[str, Partition | dict[str, Any]] | None = None
    """Runs of a disk's blocks as parts of their own, by name."""

    processors: int | None = None
    """Processors."""

    pvfs: dict[str, Pvfs | dict[str, Any]] | None = None
    """The parallel file systems, by name."""

    raid: dict[str, Raid | dict[str, Any]] | None = None
    """Several disks as one, by name."""

    read_ahead: bool | None = None
    """Whether the block after one read in sequence is read ahead."""

    reads: Literal["simulated", "missed"] | None = None
    """What a read finds in the buffers."""

    rearrangement: dict[str, Rearrangement | dict[str, Any]] | None = None
    """Devices whose most used pieces are brought together, by name."""

    replication: dict[str, Replication | dict[str, Any]] | None = None
    """Several copies of files on several disks, by name."""

    san: dict[str, San | dict[str, Any]] | None = None
    """The file systems on storage networks, by name."""

    share: dict[str, Share | dict[str, Any]] | None = None
    """The file services over networks, by name."""

    sync_interval: str | None = None
    """How often the sync daemon comes."""

    throttle: dict[str, Throttle | dict[str, Any]] | None = None
    """Limits on what is asked of a device, by name."""

    unix: dict[str, UnixHost | dict[str, Any]] | None = None
    """Unix hosts of 1990, each with its file systems, by name."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    workload: dict[str, Workload | dict[str, Any]] | None = None
    """The workloads, by name. They run side by side."""


@dataclass(kw_only=True)
class UsersWorkload(Part):
    """Synthetic users, as a specification describes them."""

    kind: Literal["users"] = "users"

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    access: DrawOfBytes | dict[str, Any] | None = None
    """Bytes of one access, for users of all types, instead of what the specification says."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    compute: DrawOfDuration | dict[str, Any] | None = None
    """Processor time of a program for each call that moves data, for users of all types, instead of what the specification says."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    on: str | list[str] | None = None
    """The file systems. With several of them, each has processes and files of its own."""

    places: dict[str, str] | None = None
    """The file systems, of the same host, on which the specification's places lie; those left out, on that of the workload itself."""

    sessions: int | None = None
    """How many login sessions each of their processes has."""

    shares: dict[str, float] | None = None
    """How many of the users are of which type, instead of what the specification says; types left out are nobody's."""

    sleep: str | None = None
    """Processor time of going to sleep for a think time, and of waking up: where system calls and signals make that dear."""

    specification: str | None = None
    """The user specification, relative to the scenario's folder."""

    tick: str | None = None
    """Think times end at a tick of a clock, so long after the one before, as those of select(2) and usleep(3) did on Unix hosts that look
    at the clock 50, 60 or 100 times a second; left out, when they are over.
    """

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    users: int | None = None
    """How many users are at work at once."""


@dataclass(kw_only=True)
class VotingProtocol(Part):
    """A write goes to as many copies as win a vote, a read asks so many that one of them has seen it. Where versions are on disk, writes of
    a file wait for each other.
    """

    kind: Literal["voting"] = "voting"

    reads: int | None = None
    """Votes that a read needs; left out, as many as it takes to meet every write. Of a file with fewer, all."""

    versions: Literal["in-memory", "on-disk"] | None = None
    """Where each copy keeps its version number."""

    weights: list[int] | None = None
    """Votes of a copy by the disk that it lies on, in their order (1 to 100); left out, one each. The disk that is up most often, or is the
    fastest, gets more.
    """

    writes: int | None = None
    """Votes that a write needs; left out, more than half of them. Of a file with fewer, all."""


@dataclass(kw_only=True)
class WindowParameters(Part):
    """Whose memory each rank accesses: that of one rank, or of the one that comes so many after it."""

    by: int | None = None
    """How many ranks after it comes the one whose memory a rank accesses, round the circle; it or `to`."""

    bytes: str | None = None
    """Of each access."""

    times: int | None = None
    """So many of them, posted together."""

    to: int | None = None
    """The rank whose memory all access, its own included; it or `by`."""


@dataclass(kw_only=True)
class Workload(Part):
    """What the system is asked to do. `kind` says which sort of workload it is."""

    kind: Literal["trace", "synthetic", "accesses", "device-accesses", "files", "script", "file-trace", "events", "users", "parallel", "recording", "fio"] | None = None

    alignment: Literal["each", "shared"] | None = None
    """Whether each file begins at time zero, or they share a clock."""

    columns: NamedColumns | dict[str, Any] | None = None
    """Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" }; its first line
    has the names. Needs `units`.
    """

    devices: dict[str, str] | None = None
    """Which device of the trace goes to which disk, where the order of `on` doesn't say it: { 8 = "d0", 9 = "d1" }."""

    file: str | None = None
    """The same as `files`."""

    files: list[str] | None = None
    """The trace files, merged by time; relative to the scenario's folder. gzip, bzip2, xz and zstandard are unpacked."""

    format: str | None = None
    """The files' format; left out, it is told from their content."""

    limit: int | None = None
    """Play no more than this many requests."""

    on: str | list[str] | None = None
    """The disks that the requests go to. The trace's first device goes to the first of them, and so on; one disk takes all. A disk on which
    a file system lies has its host's queue and scheduler before it, which the requests pass, too.
    """

    only_device: str | None = None
    """Play only the requests to this device: its number in the trace, or its major and minor number such as "8,16"."""

    out_of_range: Literal["error", "skip", "wrap"] | None = None
    """What becomes of a request that lies beyond the end of its disk."""

    outstanding: int | None = None
    """In a closed replay, the most requests that a process has in flight; left out, as many as the trace shows, or 1."""

    processes: Literal["apart", "together"] | None = None
    """In a closed replay, whether the processes of the trace wait each for itself."""

    reorder_window: int | None = None
    """How many records out of place a record may be; left out, 0, or 1,024 for formats collected per processor."""

    replay: Literal["open", "closed"] | None = None
    """Whether requests keep their arrival times (open), or each follows the completion of the one before after its recorded think time
    (closed).
    """

    time_scale: float | None = None
    """Factor on arrival and think times: 0.5 plays the trace twice as fast."""

    units: ColumnUnits | dict[str, Any] | None = None
    """The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }."""

    use: str | None = None
    """A file that describes the part, relative to the file in which this stands; keys beside it come on top."""

    duration: str | None = None
    """For how long requests are issued. Left out: no limit."""

    generators: list[Generator | dict[str, Any]] | None = None
    """The generators."""

    processors: int | None = None
    """How many processors the generators share (DiskSim: number of processors): each thinks on one, and keeps it until it waits for a
    request. Left out: each has its own.
    """

    requests: int | None = None
    """How many requests all generators issue together. Left out: no limit."""

    accesses: int | None = None
    """Accesses of each process in all; left out, no limit."""

    after: str | list[str] | None = None
    """Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time."""

    amount: str | None = None
    """Bytes that each process accesses in a pass; left out, its areas once."""

    any_size: bool | None = None
    """Whether drawn sizes need not be multiples of the smallest."""

    area: str | float | None = None
    """How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk."""

    cached: bool | None = None
    """Whether the files are in the page cache when the run begins."""

    compute_time: str | None = None
    """How long a process computes where it rests: it keeps a processor busy."""

    data_sync: bool | None = None
    """O_DSYNC: a write returns when its data are durable."""

    deadline: str | None = None
    """How long a read or a write may take, as of a stream of audio or video: the report says how many were late."""

    direct: bool | None = None
    """O_DIRECT: past the page cache."""

    engine: Literal["waits", "native-aio", "io-uring", "posix-aio"] | None = None
    """How they are asked for. One that waits for each has one in flight, whatever `in_flight` says."""

    fdatasync_every: int | None = None
    """After how many writes an fdatasync does."""

    file_order: Literal["one-after-another", "round-robin", "random"] | None = None
    """How a process goes through several files."""

    file_size: str | None = None
    """How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it."""

    file_turn: int | None = None
    """Accesses to a file before the next has its turn."""

    flow: FlowShare | dict[str, Any] | None = None
    """Its share beside other jobs: who is ahead waits for the others."""

    fsync_at_end: bool | None = None
    """Whether each file is made durable when all is done."""

    fsync_every: int | None = None
    """After how many writes an fsync makes them durable; 0, none."""

    in_flight: int | None = None
    """Accesses that a process may have in flight."""

    io_class: Literal["real-time", "best-effort", "idle"] | None = None
    """The scheduling class of the processes (`ionice -c`)."""

    io_priority: int | None = None
    """Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`)."""

    job_number: int | None = None
    """With `seed`: the number of the first process among all of a job file, from 1."""

    keep_on: bool | None = None
    """Whether it begins anew where all is done, until `duration` or the run is over."""

    latency_target: LatencyTarget | dict[str, Any] | None = None
    """How long accesses may take: as many are in flight as that allows, and `in_flight` at most."""

    mapped: bool | None = None
    """By loads and stores in a mapping of the file."""

    memory: ProcessMemory | dict[str, Any] | None = None
    """Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that is
    short. On file systems of Linux hosts' own.
    """

    new_files: bool | None = None
    """Whether the files are new: empty, without blocks. Otherwise they are there as large as they become."""

    offset: str | float | None = None
    """Where in each file that begins."""

    offset_step: str | float | None = None
    """So much further in for each process after the first."""

    operation: Literal["read", "write", "mixed", "create", "stat", "remove", "make-directory", "stat-directory", "remove-directory"] | None = None
    """What is done."""

    order: Literal["sequential", "random"] | None = None
    """In which order."""

    pace: Pace | dict[str, Any] | None = None
    """How fast reads are issued at most; without `write_pace`, writes too."""

    passes: int | None = None
    """How often it is all done."""

    popularity: Popularity | dict[str, Any] | None = None
    """Random places that are asked for more often than others. They may come again."""

    random_share: str | float | None = None
    """How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all."""

    read_share: str | float | None = None
    """How many of the accesses are reads; needed with `operation = "mixed"`, and only there."""

    reads_back: bool | None = None
    """Whether what was written in a pass is read back after it."""

    record: Sizes | dict[str, Any] | None = None
    """Bytes of an access: a size, a range, or sizes with their shares."""

    repetition: bool | None = None
    """Whether a random place may come again before all others have come."""

    run: int | None = None
    """Accesses in a row from each random place on."""

    same_passes: bool | None = None
    """With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`)."""

    seed: int | None = None
    """fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's seed."""

    sequence: PlaceSequence | dict[str, Any] | None = None
    """Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`)."""

    shared_files: bool | None = None
    """Whether all processes work on the same files. Of disks they do."""

    skip: str | None = None
    """From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards."""

    starts_after: str | None = None
    """How long each process waits before its first access."""

    strides: Strides | dict[str, Any] | None = None
    """Areas that are gone through one after the other."""

    submitting: Submitting | dict[str, Any] | None = None
    """When and how many are waited for."""

    sync: bool | None = None
    """O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    waited for a flush follows.
    """

    think_after: str | None = None
    """How long after it has rested it rests again, whatever the number of accesses."""

    think_by_issue: bool | None = None
    """Whether that is of accesses that are submitted."""

    think_every: int | None = None
    """After how many accesses that are done and taken back each time; 0, whatever their number."""

    think_time: str | None = None
    """How long it rests, with nothing in flight."""

    transaction: Literal["read", "write", "fsync", "fdatasync", "close", "rename", "unlink"] | None = None
    """Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    transactions there were a second, and how long each took, from the first operation of its process since the one before.
    """

    truncates: bool | None = None
    """Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`)."""

    until_steady: SteadyState | dict[str, Any] | None = None
    """It ends when this is steady."""

    warm_up: str | None = None
    """For how long at its beginning accesses don't count; `duration` comes after it."""

    write_pace: Pace | dict[str, Any] | None = None
    """How fast writes are issued at most."""

    write_record: Sizes | dict[str, Any] | None = None
    """Those of a write, where they are others."""

    zones: ZoneLog | dict[str, Any] | None = None
    """Zones that are written from their beginning only."""

    append: bool | None = None
    """O_APPEND: a write goes to where its file ends when its turn comes, and the file grows by it. Of files that are there (`rewrite`) as
    of new ones.
    """

    barrier: Literal["never", "start", "passes"] | None = None
    """Where processes wait for each other."""

    fsync: Durability | dict[str, Any] | None = None
    """When written data are made durable by a call."""

    fsync_call: Literal["fsync", "fdatasync", "msync"] | None = None
    """By which call."""

    interface: Literal["system", "stdio", "mapped"] | None = None
    """By which calls."""

    open_close: bool | Literal["each-file"] | None = None
    """Whether a process opens its files (creates them, where they are new) and closes them, as operations of their own: all of them before
    the first access and after the last (true), or each before and after its own ("each-file"). Without, the files are open, and new ones
    are there and empty.
    """

    operations: int | None = None
    """Accesses of each process in a pass; beyond the end of its files the pattern begins again. Left out: once through all of its files,
    unless `amount` says how much.
    """

    pattern: Literal["sequential", "random", "reverse", "strided", "same"] | None = None
    """In which order the places of a file are visited."""

    share_by_process: bool | None = None
    """`read_share` is one of processes: the first of them only read, the others only overwrite (iozone -i 8)."""

    starts_within: str | None = None
    """Each process begins its first measured access at a random instant within so long, all equally likely; left out, all begin at once."""

    stride: int | None = None
    """From one record to the next, in records, with `pattern = "strided"`: 2 visits every second record first. Needed there, and only
    there. (iozone -j; its default is 17.)
    """

    timing: Literal["accesses", "with-fsync", "with-close"] | None = None
    """What the measured time includes besides the accesses. A report can show both; this says which one counts."""

    warm_up_pass: bool | None = None
    """Whether there is a first pass more, which isn't measured."""

    places: dict[str, str] | None = None
    """Directories at the top of the script that lie on other file systems of the same host: { archive = "backup" }. They are there, and a
    file in them is on that file system: `create archive/a`.
    """

    repeat: int | None = None
    """How often all statements but the declarations of files are run."""

    script: str | None = None
    """The statements, such as `file a 64 KiB; read a 0 4 KiB; write a 0 4 KiB; fsync a`."""

    caches: Literal["as-traced", "cold"] | None = None
    """Which files are in memory when it begins."""

    device_room: str | None = None
    """Of a trace of device requests: the most that the file which stands for a device may take; addresses beyond it wrap round. Left out,
    the file is as long as the highest address needs.
    """

    reads: Literal["all", "missed"] | None = None
    """Which reads are played: all of them, or only those that missed the cache of the machine that was traced (for a Unix host with `reads
    = "missed"`).
    """

    think_per: Literal["process", "file"] | None = None
    """For whom think times are kept in a closed replay: each process (where the trace knows them), or each file."""

    access: DrawOfBytes | dict[str, Any] | None = None
    """Bytes of one access, for users of all types, instead of what the specification says."""

    compute: DrawOfDuration | dict[str, Any] | None = None
    """Processor time of a program for each call that moves data, for users of all types, instead of what the specification says."""

    sessions: int | None = None
    """How many login sessions each of their processes has."""

    shares: dict[str, float] | None = None
    """How many of the users are of which type, instead of what the specification says; types left out are nobody's."""

    sleep: str | None = None
    """Processor time of going to sleep for a think time, and of waking up: where system calls and signals make that dear."""

    specification: str | None = None
    """The user specification, relative to the scenario's folder."""

    tick: str | None = None
    """Think times end at a tick of a clock, so long after the one before, as those of select(2) and usleep(3) did on Unix hosts that look
    at the clock 50, 60 or 100 times a second; left out, when they are over.
    """

    users: int | None = None
    """How many users are at work at once."""

    compute_scale: float | None = None
    """Computing times are multiplied by this: 2 for processors half as fast as those that the program's times are of."""

    hints: Hints | dict[str, Any] | None = None
    """What MPI-IO is told."""

    program: ParallelProgram | dict[str, Any] | None = None
    """Which program."""

    ranks: int | None = None
    """Processes of the program, each a rank."""

    below: list[str] | None = None
    """Only files below these folders are on the simulated storage; calls on others take as long as they took. All, where none is named."""

    more_recordings: list[str] | None = None
    """Recordings of the same program on other numbers of ranks: what it does on further ones follows from two or more."""

    recording: str | None = None
    """The recording: the folder that `petrio record --out` wrote, or the trace in it."""

    jobs: str | list[str] | None = None
    """Which of its jobs, by name or pattern; left out, all of them."""


@dataclass(kw_only=True)
class WriteAllProtocol(Part):
    """A write goes to all copies at once, a read to any of them (Ivy's)."""

    kind: Literal["write-all"] = "write-all"


@dataclass(kw_only=True)
class XfsParameters(Part):
    """An XFS file system."""

    access_times: Literal["never", "relative", "always"] | None = None
    """When reading a file changes the time of its last access."""

    agcount: int | None = None
    """Allocation groups (`mkfs.xfs -d agcount=`); left out, four up to 4 TiB, beyond as large ones as may be."""

    allocsize: str | None = None
    """What is allocated ahead of a file that grows (mount option `allocsize`); left out, as much as the file has already."""

    discard: bool | None = None
    """Whether the device is told of blocks that files gave back, once the checkpoint is in the log that says so (mount option `discard`).
    It does nothing where something on the way to the devices takes no discards.
    """

    fragment: str | None = None
    """Size of these pieces."""

    fragmentation: str | float | None = None
    """Share of the pieces of prepared files that lie somewhere else than behind the piece before."""

    log: str | None = None
    """The disk, array or other part that is the log (`mkfs.xfs -l logdev=`); left out, it lies in the middle group."""

    log_size: str | None = None
    """Size of the log (`mkfs.xfs -l size=`); left out, 64 MiB, or a 2,048th of the file system where that is more."""

    logbsize: str | None = None
    """Size of each log buffer (mount option `logbsize`)."""

    logbufs: int | None = None
    """Log buffers (mount option `logbufs`)."""

    type: Literal["xfs"] | None = None
    """Which file system: `xfs`."""


@dataclass(kw_only=True)
class Zone(Part):
    """A zone of places."""

    accesses: str | float | None = None
    """How many of the accesses go to it."""

    places: str | float | None = None
    """How many of the places are in it."""


@dataclass(kw_only=True)
class ZoneLog(Part):
    """A device or file whose zones are written from their beginning to their end."""

    open: int | None = None
    """How many may be written to at a time; left out, any number (fio's `max_open_zones`)."""

    size: str | None = None
    """How large a zone is."""
