module example.org/warehouse

go 1.19
