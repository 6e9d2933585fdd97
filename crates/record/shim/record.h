/* What the recorder writes about a program from inside it: slots of 64 bytes in a file for each thread.
 *
 * The first slot of a file is its header. `used` grows after a record is whole, so that what a killed program leaves ends with a
 * whole record. The reader is crates/record/src/raw.rs; a change here is one there. */
#ifndef PETRIO_RECORD_H
#define PETRIO_RECORD_H

#include <stdint.h>

#define PETRIO_MAGIC 0x3143455254455000ull /* "\0PETREC1" */
#define PETRIO_SLOT 64

enum petrio_kind {
    PETRIO_BEGIN = 1,   /* a program begins in this process: text is its path */
    PETRIO_EXEC,        /* another program takes its place: text is its path */
    PETRIO_FORK,        /* a process was made: offset is its number */
    PETRIO_THREAD,      /* a thread was made: offset is a number that its header has as `token`, length its pthread_t */
    PETRIO_JOIN,        /* a process that ended was waited for: offset is its number */
    PETRIO_THREAD_JOIN, /* a thread that ended was waited for: length is its pthread_t */
    PETRIO_EXIT,        /* the thread (flag 1: the process) ends */
    PETRIO_SLEEP,       /* it slept */
    PETRIO_NAME,        /* `file` stands for: offset device, length inode, extra size; text is its path; no event of its own */
    PETRIO_OPEN,        /* extra: size before */
    PETRIO_CREATE,
    PETRIO_READ,
    PETRIO_WRITE,
    PETRIO_CLOSE,
    PETRIO_UNLINK,      /* of a path: offset device, length inode, extra size; text is the path */
    PETRIO_RMDIR,
    PETRIO_RENAME,      /* text is both paths, a zero between them */
    PETRIO_MKDIR,
    PETRIO_STAT,        /* of a path or of a file */
    PETRIO_FSYNC,
    PETRIO_FDATASYNC,
    PETRIO_SYNC_RANGE,
    PETRIO_SYNC,        /* all file systems */
    PETRIO_TRUNCATE,    /* length is the new size */
    PETRIO_ALLOCATE,    /* fallocate: extra is its mode */
    PETRIO_LIST,        /* entries of a directory */
    PETRIO_MAP,         /* a file was mapped: offset, length; extra protection */
    PETRIO_UNSEEN,      /* text: what won't be seen, and where */
    PETRIO_RANK,        /* offset: its rank, length: of how many; text is the library */
    PETRIO_SEND,        /* messages: offset peer, length bytes, extra tag, file request */
    PETRIO_RECEIVE,
    PETRIO_POST_SEND,
    PETRIO_POST_RECEIVE,
    PETRIO_WAIT,        /* offset: peer, or all ones of a send; extra: tag */
    PETRIO_COLLECTIVE,  /* offset: root (all ones: none), extra: which; text: the ranks taking part */
    PETRIO_MPI          /* a call of MPI that is no event: its time is no computing */
};

/* flags */
#define PETRIO_READS 1       /* opened to read */
#define PETRIO_WRITES 2      /* opened to write */
#define PETRIO_DURABLE 4     /* O_SYNC, O_DSYNC, RWF_DSYNC */
#define PETRIO_DIRECT 8      /* O_DIRECT */
#define PETRIO_DIRECTORY 16
#define PETRIO_WHOLE 1       /* of PETRIO_EXIT */
#define PETRIO_TRAPPED 32    /* came from the system call and not from the C library's function */

struct petrio_record {
    uint64_t begin;   /* ns, CLOCK_MONOTONIC */
    uint64_t took;    /* ns */
    uint64_t compute; /* ns of this thread's processor time since its record before */
    uint64_t file;    /* process << 32 | number, of a PETRIO_NAME */
    uint64_t offset;
    uint64_t length;
    uint64_t extra;
    uint16_t kind;
    uint16_t error;
    uint16_t flags;
    uint16_t slots; /* slots with text behind this one */
};

struct petrio_header {
    uint64_t magic;
    uint32_t process, thread;
    uint64_t token; /* of a thread that was made here; else 0 */
    uint64_t began; /* ns, CLOCK_MONOTONIC */
    uint64_t began_unix; /* ns since 1970 */
    uint32_t parent, trapping; /* parent process; whether system calls are trapped */
    uint64_t reserved;
    uint64_t used; /* slots behind the header that are whole */
};

/* Collective operations, as in crates/record/src/raw.rs. */
enum petrio_collective {
    PETRIO_BARRIER, PETRIO_BROADCAST, PETRIO_REDUCE, PETRIO_ALL_REDUCE, PETRIO_GATHER, PETRIO_SCATTER, PETRIO_ALL_GATHER,
    PETRIO_ALL_TO_ALL, PETRIO_REDUCE_SCATTER, PETRIO_SCAN, PETRIO_READ_ALL, PETRIO_WRITE_ALL, PETRIO_OPEN_ALL
};

/* Accesses to other ranks' memory. */
enum petrio_access { PETRIO_PUT, PETRIO_GET, PETRIO_ACCUMULATE, PETRIO_FETCH };

/* What the part for MPI calls. A call of MPI lies between petrio_enter and petrio_leave; calls on files in between are recorded only
 * where `files` says so. */
int petrio_enter(int files);
void petrio_leave(int entered, struct petrio_record *record, const char *text);
void petrio_ranked(int entered);
void petrio_put(struct petrio_record *record, const char *text);

#endif
