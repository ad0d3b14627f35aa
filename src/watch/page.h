/* The page: one file with all that it needs, src/watch/page.html. */
#ifndef WAC_WATCH_PAGE_H
#define WAC_WATCH_PAGE_H

extern const char wac_watch_page[];

#endif
