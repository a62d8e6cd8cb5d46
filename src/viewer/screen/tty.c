/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/tty.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/viewer/screen/row.h"
#include "src/viewer/screen/terminfo.h"

enum { ESCAPE_MS = 25, STANDARD = 3 };

struct tty {
	FILE *in, *out;
	int standard[STANDARD]; /* what 0, 1 and 2 were */
	int events, resized;	/* epoll, signalfd */
	sigset_t mask;		/* before */
	SCREEN *screen;		/* NULL: not begun */
	bool colours;
};

/* Keys come from standard input unless that is a document. */
static int open_keys(void)
{
	return isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STANDARD)
				    : open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

/* Without a locale, as over some connections, most terminals are of UTF-8 all the same. */
static void choose_locale(void)
{
	if (setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "en_US.UTF-8");
}

/* So that neither we nor the sandbox can write to the terminal by the way. */
static void keep_for_us(struct tty *tty)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	fflush(NULL);
	for (int fd = 0; fd < STANDARD; fd++) {
		tty->standard[fd] = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD);
		if (nothing >= 0)
			dup2(nothing, fd);
	}
	if (nothing >= 0)
		close(nothing);
}

static void let_go(struct tty *tty)
{
	fflush(NULL);
	for (int fd = 0; fd < STANDARD; fd++) {
		if (tty->standard[fd] < 0)
			continue;
		dup2(tty->standard[fd], fd);
		close(tty->standard[fd]);
	}
}

static void watch(struct tty *tty, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(tty->events, EPOLL_CTL_ADD, fd, &event);
}

/* Blocked, so that none comes between a look and a wait. */
static void watch_all(struct tty *tty)
{
	sigset_t size;

	sigemptyset(&size);
	sigaddset(&size, SIGWINCH);
	sigprocmask(SIG_BLOCK, &size, &tty->mask);
	tty->resized = signalfd(-1, &size, SFD_CLOEXEC | SFD_NONBLOCK);
	tty->events = epoll_create1(EPOLL_CLOEXEC);
	watch(tty, tty->resized);
	watch(tty, fileno(tty->in));
}

bool tty_can_open(struct err *err)
{
	const int in = isatty(STDOUT_FILENO) ? open_keys() : -1;

	if (in < 0)
		return err_set(err, ERR_USAGE,
			       "there is no terminal to show a screen: use gosnap show");
	close(in);
	return terminfo_can_show(STDOUT_FILENO, err);
}

struct tty *tty_open(struct err *err)
{
	if (!tty_can_open(err))
		return NULL;
	struct tty *tty = xcalloc(1, sizeof(*tty));
	tty->in = fdopen(open_keys(), "r");
	tty->out = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STANDARD), "w");
	choose_locale();
	watch_all(tty);
	keep_for_us(tty);
	return tty;
}

void tty_close(struct tty *tty)
{
	if (!tty)
		return;
	if (tty->screen) {
		terminfo_give_back();
		delscreen(tty->screen);
	}
	let_go(tty);
	sigprocmask(SIG_SETMASK, &tty->mask, NULL);
	close(tty->events);
	close(tty->resized);
	fclose(tty->in);
	fclose(tty->out);
	xfree(tty);
}

static bool wants_colours(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && has_colors();
}

/* Terminals within terminals send those of another than they say they are. */
static void define_keys(void)
{
	static const struct {
		const char *sent;
		int code;
	} keys[] = {
		{ "\033[1~", KEY_HOME }, { "\033[H", KEY_HOME }, { "\033OH", KEY_HOME },
		{ "\033[4~", KEY_END },	 { "\033[F", KEY_END },	 { "\033OF", KEY_END },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!key_defined(keys[i].sent))
			define_key(keys[i].sent, keys[i].code);
}

static void set_modes(struct tty *tty)
{
	mmask_t ignored;

	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, true);
	define_keys();
	nodelay(stdscr, true);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, &ignored);
	mouseinterval(0);
	tty->colours = wants_colours();
	row_begin(tty->colours);
}

bool tty_begin(struct tty *tty)
{
	if (tty->screen)
		return true;
	terminfo_give_back_later(fileno(tty->in), fileno(tty->out));
	tty->screen = newterm(NULL, tty->out, tty->in);
	if (!tty->screen)
		return false;
	terminfo_keep_order();
	set_modes(tty);
	return true;
}

void tty_row(struct tty *tty, unsigned row, const char *bytes, size_t len)
{
	if (tty->screen && row < (unsigned)LINES)
		row_draw(row, bytes, len);
}

void tty_update(struct tty *tty)
{
	if (tty->screen)
		refresh();
}

static bool is_resized(struct tty *tty)
{
	struct signalfd_siginfo told;
	struct winsize size;

	if (read(tty->resized, &told, sizeof(told)) != (ssize_t)sizeof(told))
		return false;
	if (ioctl(fileno(tty->out), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	return true;
}

static void read_mouse(struct key *key)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	key->x = (uint16_t)event.x;
	key->y = (uint16_t)event.y;
	key->code = event.bstate & BUTTON4_PRESSED   ? KEYS_WHEEL_UP
		    : event.bstate & BUTTON5_PRESSED ? KEYS_WHEEL_DOWN
		    : event.bstate & BUTTON1_PRESSED ? KEYS_PRESSED
						     : KEYS_NONE;
}

static int32_t special(wint_t code)
{
	static const struct {
		wint_t curses;
		int32_t ours;
	} all[] = {
		{ KEY_UP, KEYS_UP },	     { KEY_DOWN, KEYS_DOWN },
		{ KEY_LEFT, KEYS_LEFT },     { KEY_RIGHT, KEYS_RIGHT },
		{ KEY_PPAGE, KEYS_PAGE_UP }, { KEY_NPAGE, KEYS_PAGE_DOWN },
		{ KEY_HOME, KEYS_HOME },     { KEY_END, KEYS_END },
		{ KEY_BTAB, KEYS_BACK_TAB }, { KEY_BACKSPACE, KEYS_BACKSPACE },
		{ KEY_ENTER, KEYS_ENTER },   { KEY_A1, KEYS_HOME },
		{ KEY_C1, KEYS_END },	     { KEY_A3, KEYS_PAGE_UP },
		{ KEY_C3, KEYS_PAGE_DOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].curses == code)
			return all[i].ours;
	return KEYS_NONE;
}

static bool is_parameter(wint_t c)
{
	return c >= '0' && c <= '?';
}

/* After Escape: the rest of a key that terminfo does not know for this terminal, as "\033[1;5C" with Ctrl. Its
 * characters are no keys. */
static bool skip_sequence(void)
{
	wint_t taken[16], c;
	size_t n = 0;
	int got = OK;

	while (n < ARRAY_SIZE(taken) && (got = wget_wch(stdscr, &c)) == OK) {
		taken[n++] = c;
		if (n > 2 && c >= '@' && c <= '~')
			return true;
		if (n == 1 ? c != '[' : !is_parameter(c))
			break;
	}
	if (got == KEY_CODE_YES)
		ungetch((int)c);
	while (n)
		unget_wch((wchar_t)taken[--n]);
	return false;
}

/* The terminal is gone: as if it had said so. */
static void end_if_gone(const struct tty *tty)
{
	struct pollfd in = { .fd = fileno(tty->in), .events = POLLIN };

	if (poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR))
		raise(SIGHUP);
}

struct key tty_key(struct tty *tty)
{
	struct key key = { .code = KEYS_NONE };
	wint_t code;

	if (!tty->screen)
		return key;
	if (is_resized(tty)) {
		key.code = KEYS_RESIZED;
	} else {
		switch (wget_wch(stdscr, &code)) {
		case OK:
			if (code != KEYS_ESCAPE || !skip_sequence())
				key.code = (int32_t)code;
			break;
		case KEY_CODE_YES:
			if (code == KEY_MOUSE)
				read_mouse(&key);
			else
				key.code = special(code);
			break;
		default:
			end_if_gone(tty);
		}
	}
	key.columns = (uint16_t)COLS;
	key.rows = (uint16_t)LINES;
	return key;
}

int tty_events(const struct tty *tty)
{
	return tty->events;
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		const size_t left = len - i;
		const uint32_t three = (uint32_t)bytes[i] << 16 |
				       (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (left > 2 ? (uint32_t)bytes[i + 2] : 0);
		putc(digits[three >> 18], out);
		putc(digits[three >> 12 & 63], out);
		putc(left > 1 ? digits[three >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[three & 63] : '=', out);
	}
}

void tty_copy(struct tty *tty, const char *bytes, size_t len)
{
	if (!tty->screen)
		return;
	fputs("\033]52;c;", tty->out);
	put_base64(tty->out, (const unsigned char *)bytes, len);
	fputs("\a", tty->out);
	fflush(tty->out);
}
