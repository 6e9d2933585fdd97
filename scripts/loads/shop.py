"""A small shop in SQLite: orders are put in, each transaction durable, customers looked up, one report in between."""
import random
import sqlite3
import sys

random.seed(7)
shop = sqlite3.connect(sys.argv[1], isolation_level=None)
shop.execute("pragma cache_size = -256")
orders = shop.execute("select count(*) from sqlite_master where name = 'orders'").fetchone()[0]
if not orders:
    shop.execute("create table customers (id integer primary key, name text, address text)")
    shop.execute("create table orders (id integer primary key, customer integer, goods text)")
    shop.execute("create index by_customer on orders (customer)")
    shop.execute("begin")
    for number in range(40_000):
        shop.execute("insert into customers values (?, ?, ?)", (number, f"customer {number}", "x" * 200))
        shop.execute("insert into orders (customer, goods) values (?, ?)", (random.randrange(40_000), "y" * 120))
    shop.execute("commit")
    sys.exit()
for turn in range(120):
    for _ in range(8):
        shop.execute("select address from customers where id = ?", (random.randrange(40_000),)).fetchall()
        shop.execute("select goods from orders where customer = ?", (random.randrange(40_000),)).fetchall()
    shop.execute("begin")
    for _ in range(3):
        shop.execute("insert into orders (customer, goods) values (?, ?)", (random.randrange(40_000), "z" * 120))
        shop.execute("update customers set address = ? where id = ?", ("w" * 200, random.randrange(40_000)))
    shop.execute("commit")
