create stream S (A int, B string);
create continuous query Q as select a, s.B, S.a as C from s where A > 1 ;;
select A from Q;
