// A plugin of QEMU's that counts the instructions of a program, and writes their number to its standard error. The
// declarations are those of qemu-plugin.h, which Debian does not package.

#include <inttypes.h>
#include <stdio.h>

struct qemu_plugin_tb;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, void (*translated)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, void (*run)(unsigned, void *), int flags, void *data);
void qemu_plugin_register_atexit_cb(uint64_t plugin, void (*ended)(uint64_t, void *), void *data);

// QEMU 7. Later ones refuse it if they have dropped this version.
int qemu_plugin_version = 1;

static _Atomic uint64_t total;

static void run(unsigned cpu, void *instructions) {
    total += (uintptr_t)instructions;
}

static void translated(uint64_t plugin, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_cb(block, run, 0, (void *)qemu_plugin_tb_n_insns(block));
}

static void ended(uint64_t plugin, void *data) {
    fprintf(stderr, "instructions: %" PRIu64 "\n", total);
}

int qemu_plugin_install(uint64_t plugin, const void *emulator, int argc, char **argv) {
    qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
    qemu_plugin_register_atexit_cb(plugin, ended, NULL);
    return 0;
}
