-- The people.
-- Of the engine.
CREATE TABLE IF NOT EXISTS public.people (
    id BIGSERIAL PRIMARY KEY,
    "name" VARCHAR(80) NOT NULL DEFAULT 'a;b', -- create table hidden (
    born date,
    CONSTRAINT people_name UNIQUE (name)
);

create unique index concurrently people_born on people (born);

/* create table not_one (id int); */
create or replace view [dbo].[names] as
select name from people;

CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM people;

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN positive AS int CHECK (value > 0);

-- Adds one.
CREATE OR REPLACE FUNCTION app.add_one(x int) RETURNS int AS $$
BEGIN
    -- create table inner_one (id int);
    RETURN x + 1;
END;
$$ LANGUAGE plpgsql;

create procedure `archive`(in day date)
    delete from people where born < day;

CREATE TRIGGER people_changed AFTER UPDATE ON people
    FOR EACH ROW EXECUTE FUNCTION app.touch();

create sequence if not exists ids;
create schema app;
CREATE TEMPORARY TABLE übergang (n int);

select 'create table quoted (id int)';
insert into people (name) values ('create view x as');
