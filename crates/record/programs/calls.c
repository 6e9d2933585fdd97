/* Calls on files of many kinds, a thread, and a child that is another program; for tests that hold two ways of recording against each
 * other. The same each time.
 *
 *   calls FOLDER */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[8192];

static void *in_a_thread(void *name)
{
    int file = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
    for (int at = 0; at < 4; at++)
        if (write(file, data, 512) != 512)
            _exit(3);
    fsync(file);
    close(file);
    return NULL;
}

int main(int count, char **words)
{
    struct stat about;
    struct iovec parts[2] = {{data, 1000}, {data, 24}};
    pthread_t thread;
    int status;
    off_t at = 100;
    if (count != 2 || chdir(words[1]) || mkdir("folder", 0700))
        return 2;
    int file = open("folder/first", O_CREAT | O_TRUNC | O_RDWR | O_DSYNC, 0600);
    for (int turn = 0; turn < 5; turn++)
        if (write(file, data, 4096) != 4096)
            return 3;
    if (pwrite(file, data, 100, 50000) != 100 || pwritev(file, parts, 2, 60000) != 1024)
        return 3;
    lseek(file, 4096, SEEK_SET);
    if (read(file, data, 1000) != 1000 || readv(file, parts, 2) != 1024 || pread(file, data, 8192, 16384) != 8192)
        return 3;
    fdatasync(file);
    fallocate(file, FALLOC_FL_KEEP_SIZE, 65536, 4096);
    if (ftruncate(file, 7777))
        return 3;
    int copy = dup(file);
    close(file);
    if (write(copy, data, 10) != 10)
        return 3;
    int other = open("folder/other", O_CREAT | O_WRONLY | O_EXCL, 0600);
    if (sendfile(other, copy, &at, 2000) != 2000 || copy_file_range(copy, &at, other, NULL, 500, 0) != 500)
        return 3;
    sync_file_range(other, 0, 4096, SYNC_FILE_RANGE_WRITE);
    close(copy);
    close(other);
    if (rename("folder/first", "folder/second") || stat("folder/second", &about) || !stat("none", &about) || !access("none", R_OK))
        return 4;
    other = open("folder/other", O_WRONLY | O_TRUNC);
    fstat(other, &about);
    close(other);
    pthread_create(&thread, NULL, in_a_thread, "log");
    pthread_join(thread, NULL);
    usleep(20000);
    if (fork() == 0) {
        execlp("sh", "sh", "-c", "echo hello > told; cat told > copied; rm told", (char *)NULL);
        _exit(9);
    }
    wait(&status);
    if (unlink("folder/second") || unlink("folder/other") || rmdir("folder"))
        return 5;
    return WEXITSTATUS(status) + 7;
}
