/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/terminfo.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "lib/base/util.h"

/* What a handler of signals may use: made before. */
static struct {
	int in, out;
	struct termios modes;
	char reset[128];
	volatile sig_atomic_t taken;
} terminal;

/* The modes that ECMA-48 calls BDSM, as https://terminal-wg.pages.freedesktop.org/bidi/ recommends them. Where the
 * terminal puts Arabic and Hebrew in their order, cells of other panes in the same row would move along. */
static const char letters_as_drawn[] = "\033[8l", letters_in_any_order[] = "\033[8h";

static void put(const char *words)
{
	(void)!write(terminal.out, words, strlen(words));
}

/* NULL: it has none. */
static const char *string_of(const char *name)
{
	const char *words = tigetstr(name);

	return words == (char *)-1 ? NULL : words;
}

bool terminfo_can_show(int out, struct err *err)
{
	const char *term = getenv("TERM");
	bool can = false;
	int why;

	if (!term || !*term || strcmp(term, "dumb") == 0)
		return err_set(err, ERR_USAGE,
			       "the terminal cannot show a screen (TERM is %.40s): use "
			       "gosnap show",
			       term && *term ? term : "not set");
	if (setupterm(NULL, out, &why) == 0) {
		can = string_of("cup");
		del_curterm(cur_term);
	}
	return can ||
	       err_set(err, ERR_USAGE,
		       "the terminal cannot show a screen (TERM is %.40s, and terminfo "
		       "has no such terminal that can): use gosnap show",
		       term);
}

/* Without job control, nobody else has it. */
static bool is_in_foreground(void)
{
	const pid_t owner = tcgetpgrp(terminal.in);

	return owner < 0 || owner == getpgrp();
}

/* If it is another's now, it was given back when we were stopped; to touch it would stop us again. */
void terminfo_give_back(void)
{
	sigset_t touch;

	if (!terminal.taken)
		return;
	terminal.taken = 0;
	sigemptyset(&touch);
	sigaddset(&touch, SIGTTOU);
	sigprocmask(SIG_BLOCK, &touch, NULL);
	if (!is_in_foreground())
		return;
	put(terminal.reset);
	/* Keys that nobody has read were not for what comes next. */
	tcsetattr(terminal.in, TCSAFLUSH, &terminal.modes);
}

static void end_by_signal(int signo)
{
	terminfo_give_back();
	signal(signo, SIG_DFL);
	raise(signo);
}

/* Without what is for tputs(): how long printers took for it, "$<2>". */
static void add_string(const char *name)
{
	const char *words = string_of(name);
	const size_t len = strlen(terminal.reset);
	char *to = terminal.reset + len;

	if (!words || len + strlen(words) >= sizeof(terminal.reset))
		return;
	for (; *words; words++) {
		if (strncmp(words, "$<", 2) == 0 && strchr(words, '>'))
			words = strchr(words, '>');
		else
			*to++ = *words;
	}
	*to = '\0';
}

static void make_reset(void)
{
	static const char no_mouse[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l";

	strcpy(terminal.reset, letters_in_any_order);
	if (string_of("kmous"))
		strcat(terminal.reset, no_mouse);
	add_string("sgr0");
	add_string("rmkx");
	add_string("cnorm");
	/* What was there before cannot be shown again everywhere: then nothing of ours stays among what follows. */
	add_string(string_of("rmcup") ? "rmcup" : "clear");
}

void terminfo_give_back_later(int in, int out)
{
	static const int signals[] = {
		SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGABRT, SIGSEGV
	};
	struct sigaction action = { .sa_handler = end_by_signal, .sa_flags = SA_NODEFER };
	int why;

	terminal.in = in;
	terminal.out = out;
	if (tcgetattr(in, &terminal.modes) < 0 || setupterm(NULL, out, &why) != 0)
		return;
	make_reset();
	del_curterm(cur_term);
	terminal.taken = 1;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	atexit(terminfo_give_back);
}

static void (*stop_by_ncurses)(int);

/* It returns when the process goes on. */
static void stop(int signo)
{
	const int why = errno;

	put(letters_in_any_order);
	stop_by_ncurses(signo);
	put(letters_as_drawn);
	errno = why;
}

void terminfo_keep_order(void)
{
	struct sigaction action;

	put(letters_as_drawn);
	if (sigaction(SIGTSTP, NULL, &action) < 0 || action.sa_handler == SIG_DFL ||
	    action.sa_handler == SIG_IGN || action.sa_handler == stop)
		return;
	stop_by_ncurses = action.sa_handler;
	action.sa_handler = stop;
	sigaction(SIGTSTP, &action, NULL);
}
