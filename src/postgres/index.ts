/** The PostgreSQL wire protocol: sockets, messages, sessions and portals. Knows no SQL. */

export {};
