-- Rotate the database login of an application with two login roles that take turns.
-- Run with psql as a role that may create roles. No password appears in this file or in the log:
-- \password asks for it and sends only the hash.

-- Once: the owner role holds all rights and cannot log in. The login roles only inherit them.
CREATE ROLE app_owner NOLOGIN;
CREATE ROLE app_blue  LOGIN IN ROLE app_owner CONNECTION LIMIT 50;
CREATE ROLE app_green NOLOGIN IN ROLE app_owner CONNECTION LIMIT 50;

-- Objects made by either login belong to app_owner, so a switch changes no ownership.
-- (Role settings apply at login: connections that are open already do not see this.)
ALTER ROLE app_blue  SET role = 'app_owner';
ALTER ROLE app_green SET role = 'app_owner';
-- \password app_blue

-- Each rotation, here from blue to green ---------------------------------------------------------

-- 1. Give green a new password and let it log in. Blue goes on working.
-- \password app_green
ALTER ROLE app_green LOGIN;

-- 2. Store user name AND password of green in the secret store; roll the application over.

-- 3. Repeat until only app_green is listed (session_user is the login, also after SET ROLE).
SELECT usename, application_name, client_addr, count(*), max(backend_start) AS newest
FROM pg_stat_activity
WHERE usename IN ('app_blue', 'app_green')
GROUP BY 1, 2, 3
ORDER BY 1, 2;

-- 4. Lock the old login. NOLOGIN stops new connections only.
ALTER ROLE app_blue NOLOGIN;

-- 5. End what is left. In a leak do 4 and 5 first.
SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app_blue';

-- 6. After the waiting time remove the old password, so that it is worthless for good.
ALTER ROLE app_blue PASSWORD NULL;

-- Way back before step 6: ALTER ROLE app_blue LOGIN;
