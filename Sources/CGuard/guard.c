// A page that cannot be read (the file was cut, the disk fails) is a bus error; a page that makes no sense leads the
// engine's library astray, or into an assertion. All of them end here, with a message that names the page where it is
// known. Whatever a handler does is safe in a signal.
#include "guard.h"
#include "pages.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/sysmacros.h>
#endif

enum { GUARDS_MAX = 32, TEXT_MAX = 1024 };

struct docstore_guard {
  int is_taken;
  int is_writing;
  pthread_t writer;
  int exit_code;
  size_t page_size;
  uintptr_t start, end;
  char before[TEXT_MAX], after[TEXT_MAX];
};

static struct docstore_guard guards[GUARDS_MAX];
static struct sigaction earlier_bus, earlier_segv, earlier_abort;
static int is_installed;

static void say(const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t count = write(STDERR_FILENO, text, left);
    if (count > 0) {
      text += count;
      left -= (size_t)count;
    } else if (errno != EINTR) {
      return;
    }
  }
}

static void say_number(size_t number) {
  char digits[24];
  size_t place = sizeof(digits) - 1;
  digits[place] = 0;
  do digits[--place] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  say(digits + place);
}

static void fail_page(const struct docstore_guard *guard, size_t page, const char *why) {
  say(guard->before);
  say("page ");
  say_number(page);
  say(" (byte ");
  say_number(page * guard->page_size);
  say(") ");
  say(why);
  say(guard->after);
  _exit(guard->exit_code);
}

void docstore_guard_fail(const docstore_guard *guard, const char *why) {
  say(guard->before);
  say("a page ");
  say(why);
  say(guard->after);
  _exit(guard->exit_code);
}

static void handle(int number, siginfo_t *info, void *context) {
  uintptr_t address = (uintptr_t)info->si_addr;
  for (int index = 0; index < GUARDS_MAX; index++) {
    const struct docstore_guard *guard = &guards[index];
    if (!__atomic_load_n(&guard->is_taken, __ATOMIC_ACQUIRE)) continue;
    if (number != SIGABRT && address >= guard->start && address < guard->end) {
      fail_page(guard, (address - guard->start) / guard->page_size,
                number == SIGBUS ? "cannot be read: it lies beyond the end of the file, or the disk fails"
                                 : "makes no sense");
    }
    if (__atomic_load_n(&guard->is_writing, __ATOMIC_ACQUIRE) && pthread_equal(guard->writer, pthread_self())) {
      docstore_guard_fail(guard, "makes no sense, which was found when a commit was to change it");
    }
  }
  // Elsewhere in memory: the library may have been led there, or have harmed what others hold.
  for (int index = 0; index < GUARDS_MAX; index++) {
    const struct docstore_guard *guard = &guards[index];
    if (!__atomic_load_n(&guard->is_taken, __ATOMIC_ACQUIRE) || guard->end == guard->start) continue;
    size_t page = docstore_bad_page((const void *)guard->start, guard->end - guard->start, guard->page_size);
    if (page != 0) fail_page(guard, page, "makes no sense");
  }
  const struct sigaction *earlier =
      number == SIGBUS ? &earlier_bus : number == SIGSEGV ? &earlier_segv : &earlier_abort;
  if (earlier->sa_flags & SA_SIGINFO) {
    earlier->sa_sigaction(number, info, context);
  } else if (earlier->sa_handler != SIG_DFL && earlier->sa_handler != SIG_IGN) {
    earlier->sa_handler(number);
  } else {
    // Not ours: the instruction runs again when this returns, and the signal does what it does without us.
    signal(number, SIG_DFL);
    if (number == SIGABRT) raise(SIGABRT);
  }
}

static void install(void) {
  if (__atomic_exchange_n(&is_installed, 1, __ATOMIC_ACQ_REL)) return;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &earlier_bus);
  sigaction(SIGSEGV, &action, &earlier_segv);
  sigaction(SIGABRT, &action, &earlier_abort);
}

docstore_guard *docstore_guard_begin(const char *before, const char *after, int exit_code, size_t page_size) {
  for (int index = 0; index < GUARDS_MAX; index++) {
    struct docstore_guard *guard = &guards[index];
    int expected = 0;
    if (!__atomic_compare_exchange_n(&guard->is_taken, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    guard->exit_code = exit_code;
    guard->page_size = page_size;
    snprintf(guard->before, sizeof(guard->before), "%s", before);
    snprintf(guard->after, sizeof(guard->after), "%s", after);
    install();
    return guard;
  }
  return NULL;
}

void docstore_guard_place(docstore_guard *guard, uint64_t device, uint64_t number) {
  guard->start = guard->end = 0;
#if defined(__linux__)
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return;
  char line[1024];
  while (fgets(line, sizeof(line), maps)) {
    unsigned long start, end, major, minor, inode;
    if (sscanf(line, "%lx-%lx %*s %*x %lx:%lx %lu", &start, &end, &major, &minor, &inode) != 5) continue;
    // Some file systems say another device here than to `stat`; the number and the size tell them apart.
    if (inode != number || end - start < (1u << 16)) continue;
    guard->start = start;
    guard->end = end;
    if (makedev(major, minor) == device) break;
  }
  fclose(maps);
#endif
}

void docstore_guard_writing(docstore_guard *guard, int is_writing) {
  guard->writer = pthread_self();
  __atomic_store_n(&guard->is_writing, is_writing, __ATOMIC_RELEASE);
}

int docstore_guard_is_in_place(const docstore_guard *guard, const void *address) {
  uintptr_t place = (uintptr_t)address;
  if (!guard || place < guard->start || place >= guard->end) return 1;
  size_t page = (place - guard->start) / guard->page_size;
  uint64_t number;
  memcpy(&number, (const void *)(guard->start + page * guard->page_size), sizeof(number));
  return number == page;
}

void docstore_guard_end(docstore_guard *guard) {
  guard->start = guard->end = 0;
  __atomic_store_n(&guard->is_writing, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&guard->is_taken, 0, __ATOMIC_RELEASE);
}
