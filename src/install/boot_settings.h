/* SPDX-License-Identifier: Apache-2.0 */
/* boot_settings.h - what core_pattern becomes when the files of sysctl.d are read again: at the next boot, and by
 * sysctl --system, which differ. Knows these files only; nothing is set. */
#ifndef GOSNAP_BOOT_SETTINGS_H
#define GOSNAP_BOOT_SETTINGS_H

/* A file that is read after INSTALL_SYSCTL sets it to something else than pattern: which, as a sentence
 * without a full stop. Allocated. NULL: none does. */
char *boot_settings_trouble(const char *pattern);

#endif
