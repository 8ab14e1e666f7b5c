#include "build.h"

// A symbol whose address is the number: the linker is told it (Scripts/release), so that another commit links a program again
// and compiles nothing, and so that no file is generated. Of 28 bits, because code reaches 2 GiB.
extern const char docstore_commit_number __attribute__((weak));

uint32_t docstore_commit(void) { return (uint32_t)(uintptr_t)&docstore_commit_number; }
