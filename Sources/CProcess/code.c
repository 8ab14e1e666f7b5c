#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "process.h"
#include <fcntl.h>

#ifdef __linux__
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// The program, a library, or the functions that the kernel itself maps.
static int let_go(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    // What can be written may have been, and then it is not in the file.
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);
    // A failure lets go of nothing, which is no harm.
    if (start < end) (void)madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void docstore_let_go_of_code(void) { dl_iterate_phdr(let_go, NULL); }
#else
void docstore_let_go_of_code(void) {}
#endif

void docstore_begin_write_back(int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}
