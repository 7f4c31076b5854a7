(* The inequalities that the sensitivities of released statistics rest on, for vectors of any length.

   A theorem `eq_3_3` proves what docs/mathematics.md numbers (3.3). A vector is a function from places to numbers, of which
   the first d are read; people are numbered, and a neighbouring data set has another record in one person's place. Nothing
   is assumed but the axioms of Coq's real numbers: `make prove` compiles this file and refuses any other. *)

Require Import Reals Lra Psatz ZArith Lia Arith.
Open Scope R_scope.

(* ---- vectors ---- *)

Fixpoint sum (d : nat) (f : nat -> R) : R := match d with O => 0 | S k => sum k f + f k end.
Definition dot (d : nat) (x y : nat -> R) : R := sum d (fun i => x i * y i).
Definition norm2 (d : nat) (x : nat -> R) : R := dot d x x.
Definition minus (x y : nat -> R) : nat -> R := fun i => x i - y i.
Definition opposite (x : nat -> R) : nat -> R := fun i => - x i.
Definition total (n : nat) (rows : nat -> nat -> R) : nat -> R := fun i => sum n (fun j => rows j i).
Definition replaced {A : Type} (rows : nat -> A) (p : nat) (y : A) : nat -> A :=
  fun j => if Nat.eqb j p then y else rows j.

Lemma sum_ext : forall d f g, (forall i, (i < d)%nat -> f i = g i) -> sum d f = sum d g.
Proof. induction d; intros f g H; simpl; [reflexivity|]. rewrite (IHd f g), (H d); auto. Qed.

Lemma sum_plus : forall d f g, sum d (fun i => f i + g i) = sum d f + sum d g.
Proof. induction d; intros; simpl; [lra|]. rewrite IHd; lra. Qed.

Lemma sum_scale : forall d c f, sum d (fun i => c * f i) = c * sum d f.
Proof. induction d; intros; simpl; [lra|]. rewrite IHd; lra. Qed.

Lemma sum_nonneg : forall d f, (forall i, (i < d)%nat -> 0 <= f i) -> 0 <= sum d f.
Proof. induction d; intros f H; simpl; [lra|]. assert (0 <= f d) by (apply H; lia).
  assert (0 <= sum d f) by (apply IHd; intros; apply H; lia). lra. Qed.

Lemma sum_le : forall d f g, (forall i, (i < d)%nat -> f i <= g i) -> sum d f <= sum d g.
Proof. induction d; intros f g H; simpl; [lra|]. assert (f d <= g d) by (apply H; lia).
  assert (sum d f <= sum d g) by (apply IHd; intros; apply H; lia). lra. Qed.

Lemma norm2_nonneg : forall d x, 0 <= norm2 d x.
Proof. intros; apply sum_nonneg; intros; apply Rle_0_sqr. Qed.

Lemma norm2_minus : forall d x y, norm2 d (minus x y) = norm2 d x + norm2 d y - 2 * dot d x y.
Proof. unfold norm2, dot, minus; induction d; intros; simpl; [lra|]. rewrite IHd; ring. Qed.

Lemma product_below : forall x y z, 0 <= x -> 0 <= y -> z * z <= x * y -> 2 * z <= x + y.
Proof. intros. destruct (Rle_dec (2 * z) (x + y)); auto. exfalso.
  assert (0 < 2 * z - (x + y)) by lra. assert (0 < 2 * z + (x + y)) by lra.
  assert (0 < (2 * z - (x + y)) * (2 * z + (x + y))) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= (x - y) * (x - y)) by apply Rle_0_sqr. nra. Qed.

Theorem cauchy_schwarz : forall d x y, dot d x y * dot d x y <= norm2 d x * norm2 d y.
Proof.
  unfold norm2, dot; induction d; intros x y; simpl; [lra|].
  specialize (IHd x y).
  set (p := sum d (fun i => x i * y i)) in *.
  set (X := sum d (fun i => x i * x i)) in *. set (Y := sum d (fun i => y i * y i)) in *.
  assert (HX : 0 <= X) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  assert (HY : 0 <= Y) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  set (a := x d); set (b := y d).
  assert (H : 2 * ((a * b) * p) <= a * a * Y + X * (b * b)).
  { apply product_below.
    - apply Rmult_le_pos; [apply Rle_0_sqr | assumption].
    - apply Rmult_le_pos; [assumption | apply Rle_0_sqr].
    - replace (a * b * p * (a * b * p)) with ((a * a) * (b * b) * (p * p)) by ring.
      replace (a * a * Y * (X * (b * b))) with ((a * a) * (b * b) * (X * Y)) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Rle_0_sqr | assumption]. }
  replace ((p + a * b) * (p + a * b)) with (p * p + 2 * (a * b * p) + a * a * (b * b)) by ring.
  replace ((X + a * a) * (Y + b * b)) with (X * Y + (a * a * Y + X * (b * b)) + a * a * (b * b)) by ring.
  lra.
Qed.

Lemma dot_below : forall d x y t, 0 <= t -> norm2 d x <= t * t -> norm2 d y <= t * t -> - (t * t) <= dot d x y <= t * t.
Proof.
  intros d x y t Ht Hx Hy. pose proof (cauchy_schwarz d x y). pose proof (norm2_nonneg d x). pose proof (norm2_nonneg d y).
  assert (norm2 d x * norm2 d y <= (t * t) * (t * t)) by (apply Rmult_le_compat; lra).
  assert (0 <= t * t) by apply Rle_0_sqr. split; nra.
Qed.

(* One record in another's place moves a sum over people by the difference of the two rows. *)
Lemma sum_replaced : forall n (f : nat -> R) p y, (p < n)%nat -> sum n (replaced f p y) = sum n f - f p + y.
Proof.
  unfold replaced; induction n; intros f p y H; [lia|]. simpl.
  destruct (Nat.eqb n p) eqn:E.
  - apply Nat.eqb_eq in E; subst.
    rewrite (sum_ext p _ f); [lra|]. intros i Hi. destruct (Nat.eqb i p) eqn:F; [apply Nat.eqb_eq in F; lia | reflexivity].
  - apply Nat.eqb_neq in E. rewrite IHn by lia. lra.
Qed.

Lemma total_replaced : forall n rows p y i, (p < n)%nat ->
  total n (replaced rows p y) i - total n rows i = y i - rows p i.
Proof.
  intros. unfold total.
  rewrite (sum_ext n _ (replaced (fun j => rows j i) p (y i))).
  - rewrite sum_replaced by assumption. lra.
  - intros j _. unfold replaced. destruct (Nat.eqb j p); reflexivity.
Qed.

Lemma norm2_ext : forall d x y, (forall i, (i < d)%nat -> x i = y i) -> norm2 d x = norm2 d y.
Proof. intros. unfold norm2, dot. apply sum_ext. intros. rewrite H by assumption. reflexivity. Qed.

Lemma total_moves_by : forall d n rows p y, (p < n)%nat ->
  norm2 d (minus (total n (replaced rows p y)) (total n rows)) = norm2 d (minus y (rows p)).
Proof. intros. apply norm2_ext. intros. unfold minus. apply total_replaced; assumption. Qed.

(* ---- sums of bounded vectors: (3.3), (4.1), (7.4), (7.7), (11.1), (14.6) ---- *)

Theorem eq_3_3 : forall d n rows p y tau, (p < n)%nat -> 0 <= tau ->
  norm2 d (rows p) <= tau * tau -> norm2 d y <= tau * tau ->
  norm2 d (minus (total n (replaced rows p y)) (total n rows)) <= (2 * tau) * (2 * tau).
Proof.
  intros. rewrite total_moves_by by assumption. rewrite norm2_minus.
  pose proof (dot_below d y (rows p) tau). lra.
Qed.

(* Met: by a row at the bound and its opposite. *)
Theorem eq_3_3_met : forall d x tau, norm2 d x = tau * tau -> norm2 d (minus x (opposite x)) = (2 * tau) * (2 * tau).
Proof.
  intros. rewrite norm2_minus. unfold norm2, dot, opposite in *.
  rewrite (sum_ext d (fun i => - x i * - x i) (fun i => x i * x i)) by (intros; ring).
  rewrite (sum_ext d (fun i => x i * - x i) (fun i => -1 * (x i * x i))) by (intros; ring).
  rewrite sum_scale. rewrite H. ring.
Qed.

(* The same of whole numbers, as the code sums them: rows with a squared length of G^2 at most. *)
Fixpoint sumZ (d : nat) (f : nat -> Z) : Z := match d with O => 0%Z | S k => (sumZ k f + f k)%Z end.

Lemma sumZ_IZR : forall d f, IZR (sumZ d f) = sum d (fun i => IZR (f i)).
Proof. induction d; intros; simpl; [reflexivity|]. rewrite plus_IZR, IHd. reflexivity. Qed.

Theorem eq_4_1 : forall d n (rows : nat -> nat -> Z) p (y : nat -> Z) G, (p < n)%nat -> (0 <= G)%Z ->
  (sumZ d (fun i => rows p i * rows p i) <= G * G)%Z -> (sumZ d (fun i => y i * y i) <= G * G)%Z ->
  (sumZ d (fun i => (sumZ n (fun j => replaced rows p y j i) - sumZ n (fun j => rows j i)) *
                    (sumZ n (fun j => replaced rows p y j i) - sumZ n (fun j => rows j i))) <= (2 * G) * (2 * G))%Z.
Proof.
  intros d n rows p y G Hp HG Hx Hy. apply le_IZR. rewrite sumZ_IZR, !mult_IZR.
  pose (R_rows := fun j i => IZR (rows j i)). pose (R_y := fun i => IZR (y i)).
  assert (HGR : 0 <= IZR G) by (apply IZR_le in HG; lra).
  assert (A : norm2 d (R_rows p) <= IZR G * IZR G).
  { apply IZR_le in Hx. rewrite sumZ_IZR, mult_IZR in Hx. unfold norm2, dot, R_rows.
    rewrite (sum_ext d _ (fun i => IZR (rows p i * rows p i))); [exact Hx | intros; rewrite mult_IZR; reflexivity]. }
  assert (B : norm2 d R_y <= IZR G * IZR G).
  { apply IZR_le in Hy. rewrite sumZ_IZR, mult_IZR in Hy. unfold norm2, dot, R_y.
    rewrite (sum_ext d _ (fun i => IZR (y i * y i))); [exact Hy | intros; rewrite mult_IZR; reflexivity]. }
  pose proof (eq_3_3 d n R_rows p R_y (IZR G) Hp HGR A B) as M.
  unfold norm2, dot, minus, total in M.
  rewrite (sum_ext d _ (fun i => (sum n (fun j => replaced R_rows p R_y j i) - sum n (fun j => R_rows j i)) *
                                 (sum n (fun j => replaced R_rows p R_y j i) - sum n (fun j => R_rows j i)))).
  - replace (IZR 2) with 2 by reflexivity. exact M.
  - intros i _. rewrite mult_IZR, minus_IZR, !sumZ_IZR.
    replace (sum n (fun j => IZR (replaced rows p y j i))) with (sum n (fun j => replaced R_rows p R_y j i)); [reflexivity|].
    apply sum_ext. intros j _. unfold replaced, R_rows, R_y. destruct (Nat.eqb j p); reflexivity.
Qed.

(* Who leaves a group, or enters it, moves a sum of such rows by half: their row against 0. *)
Theorem eq_2_7_row : forall d n rows p tau, (p < n)%nat -> norm2 d (rows p) <= tau * tau ->
  norm2 d (minus (total n (replaced rows p (fun _ => 0))) (total n rows)) <= tau * tau.
Proof.
  intros. rewrite total_moves_by by assumption. rewrite (norm2_ext d _ (opposite (rows p))).
  - unfold norm2, dot, opposite in *. rewrite (sum_ext d _ (fun i => rows p i * rows p i)) by (intros; ring). assumption.
  - intros. unfold minus, opposite. ring.
Qed.

Theorem eq_2_7 : forall Sa Sb, 0 <= Sa -> 0 <= Sb -> (Sa + Sb) / 4 <= Rmax Sa Sb / 2.
Proof. intros. pose proof (Rmax_l Sa Sb). pose proof (Rmax_r Sa Sb). lra. Qed.

(* ---- terms in [0, 1], summed as 2 a - 1: (11.4), (14.2) ---- *)

Theorem eq_11_4 : forall n (a : nat -> R) p y, (p < n)%nat -> 0 <= a p <= 1 -> 0 <= y <= 1 ->
  -2 <= sum n (replaced (fun j => 2 * a j - 1) p (2 * y - 1)) - sum n (fun j => 2 * a j - 1) <= 2.
Proof. intros. rewrite sum_replaced by assumption. lra. Qed.

(* On the integer grid: whole numbers between -G and G. *)
Theorem eq_11_4_grid : forall n (k : nat -> R) p y G, (p < n)%nat -> - G <= k p <= G -> - G <= y <= G ->
  - (2 * G) <= sum n (replaced k p y) - sum n k <= 2 * G.
Proof. intros. rewrite sum_replaced by assumption. lra. Qed.

Theorem eq_14_2 : forall d (l u : nat -> R) L tau, 0 < L -> 0 < tau -> (forall i, (i < d)%nat -> 0 <= l i <= L) ->
  norm2 d u <= tau * tau -> 0 <= sum d (fun i => l i * (u i * u i)) / (L * (tau * tau)) <= 1.
Proof.
  intros d l u L tau HL Ht Hl Hu.
  assert (P : 0 < L * (tau * tau)) by (apply Rmult_lt_0_compat; [assumption | apply Rmult_lt_0_compat; assumption]).
  assert (A : 0 <= sum d (fun i => l i * (u i * u i))).
  { apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [apply Hl; assumption | apply Rle_0_sqr]. }
  assert (B : sum d (fun i => l i * (u i * u i)) <= L * (tau * tau)).
  { apply Rle_trans with (sum d (fun i => L * (u i * u i))).
    - apply sum_le. intros i Hi. apply Rmult_le_compat_r; [apply Rle_0_sqr | apply Hl; assumption].
    - rewrite sum_scale. apply Rmult_le_compat_l; [lra | exact Hu]. }
  unfold Rdiv. split.
  - apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; assumption].
  - apply Rmult_le_reg_r with (L * (tau * tau)); [assumption|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. assumption.
Qed.

(* ---- filters and ranges: (3.7), (3.9) ---- *)

Theorem eq_3_7 : forall lambda phi, 0 < lambda -> 0 < phi ->
  (sqrt lambda / (lambda + phi)) * sqrt phi <= / 2.
Proof.
  intros l f Hl Hf. pose proof (sqrt_sqrt l (Rlt_le _ _ Hl)) as A. pose proof (sqrt_sqrt f (Rlt_le _ _ Hf)) as B.
  assert (0 <= (sqrt l - sqrt f) * (sqrt l - sqrt f)) by apply Rle_0_sqr.
  assert (2 * (sqrt l * sqrt f) <= l + f) by nra.
  unfold Rdiv. apply Rmult_le_reg_r with (2 * (l + f)); [lra|].
  replace (sqrt l * / (l + f) * sqrt f * (2 * (l + f))) with (2 * (sqrt l * sqrt f)) by (field; lra).
  replace (/ 2 * (2 * (l + f))) with (l + f) by field. assumption.
Qed.

(* Coordinates of a point-wise release, each within mu/sqrt(N), make a row no longer than mu. *)
Theorem eq_3_9 : forall N (u : nat -> R) mu, (0 < N)%nat ->
  (forall i, (i < N)%nat -> u i * u i <= mu * mu / INR N) -> norm2 N u <= mu * mu.
Proof.
  intros N u mu HN H. assert (P : 0 < INR N) by (apply lt_0_INR; assumption).
  unfold norm2, dot. apply Rle_trans with (sum N (fun _ => mu * mu / INR N)).
  - apply sum_le. assumption.
  - assert (S : forall k c, sum k (fun _ => c) = INR k * c).
    { induction k; intros; [simpl; lra|]. rewrite S_INR. simpl. rewrite IHk. lra. }
    rewrite S. right. field. lra.
Qed.

(* ---- outer products: (7.8), (11.6), (12.2), (15.3) ---- *)

Definition frobenius (a b : nat) (A : nat -> nat -> R) : R := sum a (fun i => sum b (fun j => A i j * A i j)).
Definition outer (x y : nat -> R) : nat -> nat -> R := fun i j => x i * y j.

Lemma sum_outer : forall a b f g, sum a (fun i => sum b (fun j => f i * g j)) = sum a f * sum b g.
Proof.
  intros a b f g. rewrite (sum_ext a _ (fun i => sum b g * f i)).
  - rewrite sum_scale. ring.
  - intros. rewrite sum_scale. ring.
Qed.

(* How far the outer products of two people lie apart. *)
Lemma outer_apart : forall a b x y x' y', frobenius a b (fun i j => outer x y i j - outer x' y' i j) =
  norm2 a x * norm2 b y + norm2 a x' * norm2 b y' - 2 * (dot a x x' * dot b y y').
Proof.
  intros. unfold frobenius, outer, norm2, dot.
  rewrite <- !sum_outer.
  rewrite (sum_ext a _ (fun i => sum b (fun j => x i * x i * (y j * y j)) + sum b (fun j => x' i * x' i * (y' j * y' j))
    + -2 * sum b (fun j => x i * x' i * (y j * y' j)))).
  - rewrite !sum_plus, sum_scale. lra.
  - intros i _. rewrite <- sum_scale, <- !sum_plus. apply sum_ext. intros; ring.
Qed.

Theorem eq_11_6 : forall q v w tau, norm2 q v <= tau * tau -> norm2 q w <= tau * tau ->
  frobenius q q (fun i j => outer v v i j - outer w w i j) <= 2 * ((tau * tau) * (tau * tau)).
Proof.
  intros q v w tau Hv Hw. rewrite outer_apart. pose proof (norm2_nonneg q v). pose proof (norm2_nonneg q w).
  assert (0 <= dot q v w * dot q v w) by apply Rle_0_sqr. assert (0 <= tau * tau) by apply Rle_0_sqr.
  assert (norm2 q v * norm2 q v <= (tau * tau) * (tau * tau)) by (apply Rmult_le_compat; lra).
  assert (norm2 q w * norm2 q w <= (tau * tau) * (tau * tau)) by (apply Rmult_le_compat; lra). lra.
Qed.

(* A private center, (7.8): z and w of length 1, of which a complex number is two places; c, s the real and imaginary part
   of their product, and |z z* - w w*|^2 = 2 - 2 (c^2 + s^2). *)
Theorem eq_7_8 : forall c s, 2 - 2 * (c * c + s * s) <= 2.
Proof. intros. pose proof (Rle_0_sqr c). pose proof (Rle_0_sqr s). unfold Rsqr in *. lra. Qed.

(* The lemma of (12.2): A, B the squared lengths beyond the first places, g the product of those, g + h of all. *)
Lemma tails : forall A B g h, 0 <= A <= 1 -> 0 <= B <= 1 -> h * h <= A * B -> g * g <= (1 - A) * (1 - B) ->
  (1 - A) * (1 - A) + (1 - B) * (1 - B) - 2 * (g * g) <= 2 - 2 * ((g + h) * (g + h)).
Proof.
  intros A B g h [HA HA'] [HB HB'] H1 H2.
  assert (K : (g * h) * (g * h) <= (A * (1 - A)) * (B * (1 - B))).
  { replace ((g * h) * (g * h)) with ((h * h) * (g * g)) by ring.
    replace (A * (1 - A) * (B * (1 - B))) with ((A * B) * ((1 - A) * (1 - B))) by ring.
    apply Rmult_le_compat; auto; apply Rle_0_sqr. }
  assert (0 <= A * (1 - A)) by (apply Rmult_le_pos; lra). assert (0 <= B * (1 - B)) by (apply Rmult_le_pos; lra).
  assert (2 * (g * h) <= A * (1 - A) + B * (1 - B)) by (apply product_below; auto).
  assert (2 * (h * h) <= A * A + B * B) by (assert (0 <= (A - B) * (A - B)) by apply Rle_0_sqr; nra). nra.
Qed.

(* For any two people, lengths at their bounds or not: |v|^2 = a, |v*|^2 = b and v.v* = g of the first places, |u|^2 = a + A
   and |u*|^2 = b + B <= 1 of all, e = g + h. *)
Lemma second_moments : forall a b A B g h, 0 <= a -> 0 <= b -> 0 <= A -> 0 <= B -> a + A <= 1 -> b + B <= 1 ->
  h * h <= A * B -> g * g <= a * b -> a * a + b * b - 2 * (g * g) <= 2 - 2 * ((g + h) * (g + h)).
Proof.
  intros a b A B g h Ha Hb HA HB Hu Hw Hh Hg.
  assert (T : (1 - A) * (1 - A) + (1 - B) * (1 - B) - 2 * (g * g) <= 2 - 2 * ((g + h) * (g + h))).
  { apply tails; try lra.
    apply Rle_trans with (a * b); [assumption|]. apply Rmult_le_compat; lra. }
  assert (a * a <= (1 - A) * (1 - A)) by (apply Rmult_le_compat; lra).
  assert (b * b <= (1 - B) * (1 - B)) by (apply Rmult_le_compat; lra). lra.
Qed.

Definition moved (w1 w2 w3 t Z rho d : R) : R :=
  2 * w1 * t * (Z - rho * d) + 2 * w2 * (Z * Z - rho * rho) + 2 * w3 * (t * t) * (1 - d * d).

(* What two people move the weighted sums of a model by, squared (w are squared weights, t = tau^2, Z = zeta^2). *)
Definition apart (p k q : nat) (w1 w2 w3 : R) (z z' u u' : nat -> R) : R :=
  w1 * frobenius p k (fun i j => outer z u i j - outer z' u' i j)
  + w2 * frobenius p p (fun i j => outer z z i j - outer z' z' i j)
  + w3 * frobenius q q (fun i j => outer u u i j - outer u' u' i j).

Lemma sum_split : forall q r f, sum (q + r) f = sum q f + sum r (fun i => f (q + i)%nat).
Proof.
  intros q r f. induction r; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r. simpl. rewrite IHr. lra.
Qed.

(* (12.2): covariates with an intercept of 1, |z|^2 <= Z; coordinates |u|^2 <= t; the first q of k = q + r squared. *)
Theorem eq_12_2 : forall p q r w1 w2 w3 t Z z z' u u', 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> 0 < t ->
  z 0%nat = 1 -> z' 0%nat = 1 ->
  norm2 (S p) z <= Z -> norm2 (S p) z' <= Z -> norm2 (q + r) u <= t -> norm2 (q + r) u' <= t ->
  exists rho d, 2 - Z <= rho <= Z /\ -1 <= d <= 1 /\
    apart (S p) (q + r) q w1 w2 w3 z z' u u' <= moved w1 w2 w3 t Z rho d.
Proof.
  intros p q r w1 w2 w3 t Z z z' u u' H1 H2 H3 Ht Hz0 Hz0' Hz Hz' Hu Hu'.
  exists (dot (S p) z z'), (dot (q + r) u u' / t).
  set (rho := dot (S p) z z'). set (e := dot (q + r) u u').
  pose proof (norm2_nonneg (S p) z) as Nz. pose proof (norm2_nonneg (S p) z') as Nz'.
  pose proof (norm2_nonneg (q + r) u) as Nu. pose proof (norm2_nonneg (q + r) u') as Nu'.
  pose proof (cauchy_schwarz (S p) z z') as Cz. fold rho in Cz.
  pose proof (cauchy_schwarz (q + r) u u') as Cu. fold e in Cu.
  assert (Rz : rho <= Z).
  { assert (2 * rho <= norm2 (S p) z + norm2 (S p) z') by (apply product_below; assumption). lra. }
  (* z = (1, y): y.y* >= -(Z - 1) *)
  assert (Rlow : 2 - Z <= rho).
  { assert (D : forall a b, dot (S p) a b = a 0%nat * b 0%nat + sum p (fun i => a (S i) * b (S i))).
    { intros. unfold dot. replace (S p) with (1 + p)%nat by lia. rewrite sum_split. simpl. lra. }
    pose (y := fun i => z (S i)). pose (y' := fun i => z' (S i)).
    assert (Ay : norm2 p y <= Z - 1).
    { unfold norm2 in *. rewrite D, Hz0 in Hz. unfold dot, y. lra. }
    assert (Ay' : norm2 p y' <= Z - 1).
    { unfold norm2 in *. rewrite D, Hz0' in Hz'. unfold dot, y'. lra. }
    assert (E : rho = 1 + dot p y y').
    { unfold rho. rewrite D, Hz0, Hz0'. unfold dot, y, y'. lra. }
    assert (2 * (- dot p y y') <= norm2 p y + norm2 p y').
    { apply product_below; try apply norm2_nonneg.
      replace (- dot p y y' * - dot p y y') with (dot p y y' * dot p y y') by ring. apply cauchy_schwarz. }
    lra. }
  assert (De : - t <= e <= t).
  { assert (norm2 (q + r) u * norm2 (q + r) u' <= t * t) by (apply Rmult_le_compat; lra). split; nra. }
  assert (Dd : -1 <= e / t <= 1).
  { unfold Rdiv. split; apply Rmult_le_reg_r with t; try assumption; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  split; [lra|]. split; [assumption|].
  unfold apart, moved. rewrite !outer_apart. fold rho. fold e.
  (* the first sum *)
  assert (A1 : norm2 (S p) z * norm2 (q + r) u + norm2 (S p) z' * norm2 (q + r) u' - 2 * (rho * e)
    <= 2 * (t * (Z - rho * (e / t)))).
  { assert (norm2 (S p) z * norm2 (q + r) u <= Z * t) by (apply Rmult_le_compat; lra).
    assert (norm2 (S p) z' * norm2 (q + r) u' <= Z * t) by (apply Rmult_le_compat; lra).
    replace (t * (Z - rho * (e / t))) with (Z * t - rho * e) by (field; lra). lra. }
  (* the second *)
  assert (A2 : norm2 (S p) z * norm2 (S p) z + norm2 (S p) z' * norm2 (S p) z' - 2 * (rho * rho)
    <= 2 * (Z * Z - rho * rho)).
  { assert (norm2 (S p) z * norm2 (S p) z <= Z * Z) by (apply Rmult_le_compat; lra).
    assert (norm2 (S p) z' * norm2 (S p) z' <= Z * Z) by (apply Rmult_le_compat; lra). lra. }
  (* the third: the first q places of u against all of them *)
  assert (A3 : norm2 q u * norm2 q u + norm2 q u' * norm2 q u' - 2 * (dot q u u' * dot q u u')
    <= 2 * (t * t * (1 - (e / t) * (e / t)))).
  { pose (v := fun i => u (q + i)%nat). pose (v' := fun i => u' (q + i)%nat).
    assert (Su : norm2 (q + r) u = norm2 q u + norm2 r v) by (unfold norm2, dot; apply sum_split).
    assert (Su' : norm2 (q + r) u' = norm2 q u' + norm2 r v') by (unfold norm2, dot; apply sum_split).
    assert (Se : e = dot q u u' + dot r v v') by (unfold e, dot; apply sum_split).
    pose proof (norm2_nonneg q u). pose proof (norm2_nonneg q u'). pose proof (norm2_nonneg r v). pose proof (norm2_nonneg r v').
    pose proof (cauchy_schwarz r v v') as Ch. pose proof (cauchy_schwarz q u u') as Cg.
    assert (I : 0 < / t) by (apply Rinv_0_lt_compat; assumption).
    assert (Q : forall x y, x <= y -> x * / t <= y * / t) by (intros; apply Rmult_le_compat_r; lra).
    pose proof (second_moments (norm2 q u * / t) (norm2 q u' * / t) (norm2 r v * / t) (norm2 r v' * / t)
      (dot q u u' * / t) (dot r v v' * / t)) as M.
    assert (M' : norm2 q u * / t * (norm2 q u * / t) + norm2 q u' * / t * (norm2 q u' * / t)
      - 2 * (dot q u u' * / t * (dot q u u' * / t))
      <= 2 - 2 * ((dot q u u' * / t + dot r v v' * / t) * (dot q u u' * / t + dot r v v' * / t))).
    { apply M; try (apply Rmult_le_pos; lra).
      - rewrite <- Rmult_plus_distr_r, <- Su. apply Rle_trans with (t * / t); [apply Q; assumption | rewrite Rinv_r; lra].
      - rewrite <- Rmult_plus_distr_r, <- Su'. apply Rle_trans with (t * / t); [apply Q; assumption | rewrite Rinv_r; lra].
      - replace (dot r v v' * / t * (dot r v v' * / t)) with (dot r v v' * dot r v v' * (/ t * / t)) by ring.
        replace (norm2 r v * / t * (norm2 r v' * / t)) with (norm2 r v * norm2 r v' * (/ t * / t)) by ring.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | assumption].
      - replace (dot q u u' * / t * (dot q u u' * / t)) with (dot q u u' * dot q u u' * (/ t * / t)) by ring.
        replace (norm2 q u * / t * (norm2 q u' * / t)) with (norm2 q u * norm2 q u' * (/ t * / t)) by ring.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | assumption]. }
    rewrite <- Rmult_plus_distr_r, <- Se in M'.
    assert (T2 : 0 < t * t) by (apply Rmult_lt_0_compat; assumption).
    apply Rmult_le_compat_l with (r := t * t) in M'; [|lra].
    replace (t * t * (norm2 q u * / t * (norm2 q u * / t) + norm2 q u' * / t * (norm2 q u' * / t)
      - 2 * (dot q u u' * / t * (dot q u u' * / t)))) with
      (norm2 q u * norm2 q u + norm2 q u' * norm2 q u' - 2 * (dot q u u' * dot q u u')) in M' by (field; lra).
    unfold Rdiv. lra. }
  apply Rmult_le_compat_l with (r := w1) in A1; [|assumption].
  apply Rmult_le_compat_l with (r := w2) in A2; [|assumption].
  apply Rmult_le_compat_l with (r := w3) in A3; [|assumption].
  lra.
Qed.

(* The places that the code looks at, in (rho, d), bound the whole rectangle: `joint_sensitivity`. *)
Definition clip (x low high : R) : R := Rmax low (Rmin x high).

(* A parabola that opens downwards is largest on an interval at its clipped vertex. *)
Lemma parabola : forall a b low high x, 0 < a -> low <= x <= high ->
  - b * x - a * (x * x) <=
  - b * clip (- b / (2 * a)) low high - a * (clip (- b / (2 * a)) low high * clip (- b / (2 * a)) low high).
Proof.
  intros a b low high x Ha Hx. set (s := - b / (2 * a)).
  assert (Hb : b = - 2 * a * s) by (unfold s; field; lra).
  assert (K : forall y, - b * y - a * (y * y) = a * (s * s) - a * ((y - s) * (y - s))) by (intros; rewrite Hb; ring).
  rewrite !K. assert (D : (clip s low high - s) * (clip s low high - s) <= (x - s) * (x - s)).
  { unfold clip, Rmin. destruct (Rle_dec s high); [unfold Rmax; destruct (Rle_dec low s)|].
    - replace (s - s) with 0 by ring. rewrite Rmult_0_l. apply Rle_0_sqr.
    - assert (0 <= (x - low) * (x + low - 2 * s)) by (apply Rmult_le_pos; lra). nra.
    - rewrite Rmax_right by lra. assert (0 <= (high - x) * (2 * s - x - high)) by (apply Rmult_le_pos; lra). nra. }
  apply Rmult_le_compat_l with (r := a) in D; lra.
Qed.

Inductive place (w1 w2 w3 t Z : R) : R -> R -> Prop :=
| at_zero : place w1 w2 w3 t Z (clip 0 (2 - Z) Z) 0
| at_vertex : forall r e, r = 2 - Z \/ r = Z -> e = 1 \/ e = -1 -> place w1 w2 w3 t Z r e
| on_edge_of_d : forall e, 0 < w2 -> e = 1 \/ e = -1 ->
    place w1 w2 w3 t Z (clip (- (w1 * t * e) / (2 * w2)) (2 - Z) Z) e
| on_edge_of_rho : forall r, 0 < w3 -> r = 2 - Z \/ r = Z ->
    place w1 w2 w3 t Z r (clip (- (w1 * r) / (2 * w3 * t)) (-1) 1).

Definition bounded (w1 w2 w3 t Z r d : R) : Prop :=
  exists r' d', place w1 w2 w3 t Z r' d' /\ moved w1 w2 w3 t Z r d <= moved w1 w2 w3 t Z r' d'.

Lemma bounded_by : forall w1 w2 w3 t Z r d r' d', bounded w1 w2 w3 t Z r' d' ->
  moved w1 w2 w3 t Z r d <= moved w1 w2 w3 t Z r' d' -> bounded w1 w2 w3 t Z r d.
Proof. intros w1 w2 w3 t Z r d r' d' (a & b & P & L) M. exists a, b. split; [assumption | lra]. Qed.

Lemma edge_of_rho : forall w1 w2 w3 t Z r d, 0 <= w1 -> 0 <= w3 -> 0 < t -> r = 2 - Z \/ r = Z -> -1 <= d <= 1 ->
  bounded w1 w2 w3 t Z r d.
Proof.
  intros w1 w2 w3 t Z r d H1 H3 Ht Hr Hd. destruct (Rle_lt_or_eq_dec 0 w3 H3) as [P | E].
  - eexists. eexists. split; [apply on_edge_of_rho; eassumption|].
    assert (C : 0 < w3 * (t * t)) by (apply Rmult_lt_0_compat; [assumption | apply Rmult_lt_0_compat; assumption]).
    pose proof (parabola (w3 * (t * t)) (w1 * t * r) (-1) 1 d C Hd) as Q.
    replace (- (w1 * t * r) / (2 * (w3 * (t * t)))) with (- (w1 * r) / (2 * w3 * t)) in Q by (field; lra).
    unfold moved. lra.
  - subst w3. destruct (Rle_dec 0 (w1 * t * r)) as [S | S].
    + apply bounded_by with r (-1); [exists r, (-1); split; [apply at_vertex; auto | lra] | unfold moved; nra].
    + apply bounded_by with r 1; [exists r, 1; split; [apply at_vertex; auto | lra] | unfold moved; nra].
Qed.

Lemma edge_of_d : forall w1 w2 w3 t Z r e, 0 <= w1 -> 0 <= w2 -> 0 < t -> e = 1 \/ e = -1 -> 2 - Z <= r <= Z ->
  bounded w1 w2 w3 t Z r e.
Proof.
  intros w1 w2 w3 t Z r e H1 H2 Ht He Hr. destruct (Rle_lt_or_eq_dec 0 w2 H2) as [P | E].
  - eexists. eexists. split; [apply on_edge_of_d; eassumption|].
    pose proof (parabola w2 (w1 * t * e) (2 - Z) Z r P Hr) as Q. unfold moved. lra.
  - subst w2. destruct (Rle_dec 0 (w1 * t * e)) as [S | S].
    + apply bounded_by with (2 - Z) e; [exists (2 - Z), e; split; [apply at_vertex; auto | lra] | unfold moved; nra].
    + apply bounded_by with Z e; [exists Z, e; split; [apply at_vertex; auto | lra] | unfold moved; nra].
Qed.

(* Along a ray from 0 the form changes with the square of the length. *)
Lemma along_a_ray : forall w1 w2 w3 t Z r d k, moved w1 w2 w3 t Z (k * r) (k * d) - moved w1 w2 w3 t Z r d =
  2 * ((1 - k * k) * (w1 * t * (r * d) + w2 * (r * r) + w3 * (t * t) * (d * d))).
Proof. intros. unfold moved. ring. Qed.

Theorem eq_12_2_places : forall w1 w2 w3 t Z r d, 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> 0 < t -> 1 <= Z ->
  2 - Z <= r <= Z -> -1 <= d <= 1 -> bounded w1 w2 w3 t Z r d.
Proof.
  intros w1 w2 w3 t Z r d H1 H2 H3 Ht HZ Hr Hd.
  set (q := w1 * t * (r * d) + w2 * (r * r) + w3 * (t * t) * (d * d)).
  destruct (Rle_dec 0 q) as [P | N].
  - (* towards 0 the form grows: to 0 itself, or to the edge that is met first *)
    destruct (Rle_dec (2 - Z) 0) as [L | L].
    + exists (clip 0 (2 - Z) Z), 0. split; [apply at_zero|].
      assert (E : clip 0 (2 - Z) Z = 0) by (unfold clip, Rmax, Rmin; repeat destruct Rle_dec; lra). rewrite E.
      pose proof (along_a_ray w1 w2 w3 t Z r d 0) as K. fold q in K. rewrite !Rmult_0_l in K. lra.
    + apply Rnot_le_lt in L. assert (R0 : 0 < r) by lra.
      assert (I : 0 < / r) by (apply Rinv_0_lt_compat; assumption).
      pose (k := (2 - Z) * / r). assert (K0 : 0 < k) by (unfold k; apply Rmult_lt_0_compat; assumption).
      assert (Kr : k * r = 2 - Z) by (unfold k; rewrite Rmult_assoc, Rinv_l by lra; lra).
      assert (K1 : k <= 1) by (apply Rmult_le_reg_r with r; [assumption | lra]).
      apply bounded_by with (k * r) (k * d).
      * rewrite Kr. apply edge_of_rho; auto; nra.
      * pose proof (along_a_ray w1 w2 w3 t Z r d k) as K. fold q in K. assert (0 <= 1 - k * k) by nra.
        assert (0 <= (1 - k * k) * q) by (apply Rmult_le_pos; assumption). lra.
  - (* away from 0 it grows: to the edge of d or of rho that is met first *)
    apply Rnot_le_lt in N.
    assert (G : forall k, 1 <= k -> moved w1 w2 w3 t Z r d <= moved w1 w2 w3 t Z (k * r) (k * d)).
    { intros k Hk. pose proof (along_a_ray w1 w2 w3 t Z r d k) as K. fold q in K. assert (1 - k * k <= 0) by nra.
      assert (0 <= (1 - k * k) * q) by nra. lra. }
    assert (D0 : d <> 0). { intro E. unfold q in N. rewrite E in N. assert (0 <= w2 * (r * r)) by (apply Rmult_le_pos; [assumption | apply Rle_0_sqr]). lra. }
    pose (k := / Rabs d). assert (Da : 0 < Rabs d) by (apply Rabs_pos_lt; assumption).
    assert (D1 : Rabs d <= 1) by (apply Rabs_le; lra).
    assert (K1 : 1 <= k). { unfold k. apply Rmult_le_reg_r with (Rabs d); [assumption|]. rewrite Rinv_l; lra. }
    assert (Kd : k * d = 1 \/ k * d = -1).
    { unfold k, Rabs. destruct (Rcase_abs d); [right | left]; field; lra. }
    assert (B : forall j, 1 <= j -> j <= k -> -1 <= j * d <= 1).
    { intros j J1 J2. assert (Rabs (j * d) <= 1).
      { rewrite Rabs_mult, (Rabs_pos_eq j) by lra. apply Rle_trans with (k * Rabs d).
        - apply Rmult_le_compat_r; lra.
        - unfold k. rewrite Rinv_l; lra. }
      split; [assert (- (j * d) <= Rabs (j * d)) by (rewrite <- Rabs_Ropp; apply Rle_abs); lra
             | assert (j * d <= Rabs (j * d)) by apply Rle_abs; lra]. }
    destruct (Rle_dec (k * r) Z) as [U | U]; [destruct (Rle_dec (2 - Z) (k * r)) as [V | V]|].
    + apply bounded_by with (k * r) (k * d); [apply edge_of_d; auto | apply G; assumption].
    + apply Rnot_le_lt in V. assert (R0 : r < 0) by nra.
      assert (I : / r < 0) by (apply Rinv_lt_0_compat; assumption).
      pose (j := (2 - Z) * / r). assert (Jr : j * r = 2 - Z) by (unfold j; rewrite Rmult_assoc, Rinv_l by lra; lra).
      assert (J1 : 1 <= j) by nra. assert (J2 : j <= k) by nra.
      apply bounded_by with (j * r) (j * d); [rewrite Jr; apply edge_of_rho; auto | apply G; assumption].
    + apply Rnot_le_lt in U. assert (R0 : 0 < r) by nra.
      assert (I : 0 < / r) by (apply Rinv_0_lt_compat; assumption).
      pose (j := Z * / r). assert (Jr : j * r = Z) by (unfold j; rewrite Rmult_assoc, Rinv_l by lra; lra).
      assert (J1 : 1 <= j) by nra. assert (J2 : j <= k) by nra.
      apply bounded_by with (j * r) (j * d); [rewrite Jr; apply edge_of_rho; auto | apply G; assumption].
Qed.

(* (15.3): growth. Bands w, w* >= 0 with a sum of 1 share the third sum out. *)
Lemma shares_below : forall d w, (forall i, (i < d)%nat -> 0 <= w i) -> sum d w <= 1 -> norm2 d w <= 1.
Proof.
  intros d w Hw Hs. assert (K : norm2 d w <= sum d w * sum d w).
  { clear Hs. unfold norm2, dot. induction d; simpl; [lra|].
    assert (sum d (fun i => w i * w i) <= sum d w * sum d w) by (apply IHd; intros; apply Hw; lia).
    assert (0 <= w d) by (apply Hw; lia). assert (0 <= sum d w) by (apply sum_nonneg; intros; apply Hw; lia). nra. }
  assert (0 <= sum d w) by (apply sum_nonneg; assumption). nra.
Qed.

Definition banded (b q : nat) (w w' v v' : nat -> R) : R :=
  sum b (fun k => frobenius q q (fun i j => w k * outer v v i j - w' k * outer v' v' i j)).

Lemma banded_apart : forall b q w w' v v', banded b q w w' v v' =
  norm2 b w * (norm2 q v * norm2 q v) + norm2 b w' * (norm2 q v' * norm2 q v') - 2 * (dot b w w' * (dot q v v' * dot q v v')).
Proof.
  intros. unfold banded.
  assert (E : forall k, frobenius q q (fun i j => w k * outer v v i j - w' k * outer v' v' i j) =
    (w k * w k) * (norm2 q v * norm2 q v) + (w' k * w' k) * (norm2 q v' * norm2 q v')
    + -2 * ((w k * w' k) * (dot q v v' * dot q v v'))).
  { intros. pose proof (outer_apart q q (fun i => w k * v i) v (fun i => w' k * v' i) v') as O.
    unfold frobenius, outer, norm2, dot in *.
    rewrite (sum_ext q _ (fun i => sum q (fun j => (w k * v i * v j - w' k * v' i * v' j) * (w k * v i * v j - w' k * v' i * v' j)))).
    - rewrite O. rewrite (sum_ext q (fun i => w k * v i * (w k * v i)) (fun i => (w k * w k) * (v i * v i))) by (intros; ring).
      rewrite (sum_ext q (fun i => w' k * v' i * (w' k * v' i)) (fun i => (w' k * w' k) * (v' i * v' i))) by (intros; ring).
      rewrite (sum_ext q (fun i => w k * v i * (w' k * v' i)) (fun i => (w k * w' k) * (v i * v' i))) by (intros; ring).
      rewrite !sum_scale. ring.
    - intros. apply sum_ext. intros. ring. }
  rewrite (sum_ext b _ (fun k => (norm2 q v * norm2 q v) * (w k * w k) + (norm2 q v' * norm2 q v') * (w' k * w' k)
    + (-2 * (dot q v v' * dot q v v')) * (w k * w' k))) by (intros; rewrite E; ring).
  rewrite !sum_plus, !sum_scale. unfold norm2, dot. ring.
Qed.

Theorem eq_15_3_bands : forall b q w w' v v' t, 0 <= t -> (forall k, (k < b)%nat -> 0 <= w k) -> (forall k, (k < b)%nat -> 0 <= w' k) ->
  sum b w <= 1 -> sum b w' <= 1 -> norm2 q v <= t -> norm2 q v' <= t -> banded b q w w' v v' <= 2 * (t * t).
Proof.
  intros b q w w' v v' t Ht Hw Hw' Hs Hs' Hv Hv'. rewrite banded_apart.
  pose proof (shares_below b w Hw Hs) as W. pose proof (shares_below b w' Hw' Hs') as W'.
  pose proof (norm2_nonneg b w). pose proof (norm2_nonneg b w'). pose proof (norm2_nonneg q v). pose proof (norm2_nonneg q v').
  assert (0 <= dot b w w').
  { unfold dot. apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [apply Hw | apply Hw']; assumption. }
  assert (0 <= dot q v v' * dot q v v') by apply Rle_0_sqr.
  assert (0 <= dot b w w' * (dot q v v' * dot q v v')) by (apply Rmult_le_pos; assumption).
  assert (norm2 q v * norm2 q v <= t * t) by (apply Rmult_le_compat; lra).
  assert (norm2 q v' * norm2 q v' <= t * t) by (apply Rmult_le_compat; lra).
  assert (0 <= norm2 q v * norm2 q v) by (apply Rmult_le_pos; assumption).
  assert (0 <= norm2 q v' * norm2 q v') by (apply Rmult_le_pos; assumption).
  assert (norm2 b w * (norm2 q v * norm2 q v) <= 1 * (t * t)) by (apply Rmult_le_compat; lra).
  assert (norm2 b w' * (norm2 q v' * norm2 q v') <= 1 * (t * t)) by (apply Rmult_le_compat; lra). lra.
Qed.

(* The whole of growth: the sums of (12.1) but for the third, which the bands share out. *)
Theorem eq_15_3 : forall p q r b w1 w2 w3 t Z z z' u u' v v' w w', 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> 0 < t ->
  z 0%nat = 1 -> z' 0%nat = 1 ->
  norm2 (S p) z <= Z -> norm2 (S p) z' <= Z -> norm2 (q + r) u <= t -> norm2 (q + r) u' <= t ->
  (forall k, (k < b)%nat -> 0 <= w k) -> (forall k, (k < b)%nat -> 0 <= w' k) -> sum b w <= 1 -> sum b w' <= 1 ->
  norm2 q v <= t -> norm2 q v' <= t ->
  exists rho d, 2 - Z <= rho <= Z /\ -1 <= d <= 1 /\
    apart (S p) (q + r) q w1 w2 0 z z' u u' + w3 * banded b q w w' v v' <= moved w1 w2 0 t Z rho d + 2 * w3 * (t * t).
Proof.
  intros p q r b w1 w2 w3 t Z z z' u u' v v' w w' H1 H2 H3 Ht Hz0 Hz0' Hz Hz' Hu Hu' Hw Hw' Sw Sw' Hv Hv'.
  destruct (eq_12_2 p q r w1 w2 0 t Z z z' u u') as (rho & d & A & B & C); auto; [lra|].
  exists rho, d. split; [exact A|]. split; [exact B|].
  assert (T : 0 <= t) by lra. pose proof (eq_15_3_bands b q w w' v v' t T Hw Hw' Sw Sw' Hv Hv') as D.
  apply Rmult_le_compat_l with (r := w3) in D; lra.
Qed.

(* ---- composition: (2.5), (7.9), (11.5): budgets that a plan splits add up to what it has ---- *)

Theorem eq_2_5_split : forall k (share : nat -> R) mu2, sum k share <= 1 -> 0 <= mu2 -> sum k (fun i => share i * mu2) <= mu2.
Proof.
  intros. rewrite (sum_ext k _ (fun i => mu2 * share i)) by (intros; ring). rewrite sum_scale.
  apply Rle_trans with (mu2 * 1); [apply Rmult_le_compat_l; lra | lra].
Qed.

(* The grid of a private center, (7.8): each of D coordinates cut by less than a step moves a difference by at most twice
   the root of D steps more; squared, for a vector of whole cuts. *)
Theorem eq_7_8_grid : forall D c, (forall i, (i < D)%nat -> -1 <= c i <= 1) -> norm2 D c <= INR D.
Proof.
  intros D c H. unfold norm2, dot. apply Rle_trans with (sum D (fun _ => 1)).
  - apply sum_le. intros i Hi. specialize (H i Hi). nra.
  - right. clear. induction D; [reflexivity|]. rewrite S_INR. simpl. rewrite IHD. reflexivity.
Qed.

(* ---- lengths ---- *)

Definition length (d : nat) (x : nat -> R) : R := sqrt (norm2 d x).
Definition plus (x y : nat -> R) : nat -> R := fun i => x i + y i.
Definition scaled (c : R) (x : nat -> R) : nat -> R := fun i => c * x i.

Lemma length_nonneg : forall d x, 0 <= length d x.
Proof. intros. apply sqrt_pos. Qed.

Lemma length_square : forall d x, length d x * length d x = norm2 d x.
Proof. intros. apply sqrt_sqrt, norm2_nonneg. Qed.

Lemma below_by_squares : forall x y, 0 <= y -> x * x <= y * y -> x <= y.
Proof. intros. destruct (Rle_dec x y); [assumption|]. exfalso. assert (y < x) by lra. nra. Qed.

Lemma dot_below_lengths : forall d x y, Rabs (dot d x y) <= length d x * length d y.
Proof.
  intros. apply below_by_squares.
  - apply Rmult_le_pos; apply length_nonneg.
  - rewrite <- Rabs_mult, Rabs_pos_eq by (apply Rle_0_sqr).
    replace (length d x * length d y * (length d x * length d y)) with
      ((length d x * length d x) * (length d y * length d y)) by ring.
    rewrite !length_square. apply cauchy_schwarz.
Qed.

Theorem triangle : forall d x y, length d (plus x y) <= length d x + length d y.
Proof.
  intros. pose proof (length_nonneg d x). pose proof (length_nonneg d y). apply below_by_squares; [lra|].
  rewrite length_square.
  assert (E : norm2 d (plus x y) = norm2 d x + norm2 d y + 2 * dot d x y).
  { unfold norm2, dot, plus. clear. induction d; simpl; [lra|]. rewrite IHd. ring. }
  pose proof (dot_below_lengths d x y). pose proof (Rle_abs (dot d x y)).
  rewrite E, <- !length_square. nra.
Qed.

Lemma length_minus_sym : forall d x y, length d (minus x y) = length d (minus y x).
Proof. intros. unfold length. f_equal. unfold norm2, dot, minus. apply sum_ext. intros. ring. Qed.

Lemma norm2_scaled : forall d c x, norm2 d (scaled c x) = c * c * norm2 d x.
Proof. intros. unfold norm2, dot, scaled. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.

(* A record that is clipped is no longer than the bound, (3.3) and (14.6): x min(1, tau/|x|). *)
Theorem eq_3_3_clip : forall d x tau, 0 <= tau -> 0 < length d x ->
  norm2 d (scaled (Rmin 1 (tau / length d x)) x) <= tau * tau.
Proof.
  intros d x tau Ht Hx. rewrite norm2_scaled, <- length_square.
  replace (Rmin 1 (tau / length d x) * Rmin 1 (tau / length d x) * (length d x * length d x)) with
    ((Rmin 1 (tau / length d x) * length d x) * (Rmin 1 (tau / length d x) * length d x)) by ring.
  assert (0 <= tau / length d x) by (apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; assumption]).
  assert (0 <= Rmin 1 (tau / length d x)) by (apply Rmin_glb; lra).
  assert (Rmin 1 (tau / length d x) * length d x <= tau).
  { apply Rle_trans with (tau / length d x * length d x).
    - apply Rmult_le_compat_r; [lra | apply Rmin_r].
    - right. field. lra. }
  apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
Qed.

(* exp grows: from its series, for the library's own proof assumes the excluded middle. *)
Lemma exp_at_least_1 : forall x, 0 <= x -> 1 <= exp x.
Proof.
  intros x Hx. unfold exp. destruct (exist_exp x) as [l Hl]. simpl. unfold exp_in, infinite_sum in Hl.
  assert (P : forall n, 1 <= sum_f_R0 (fun i => / INR (fact i) * x ^ i) n).
  { induction n; [simpl; lra|]. rewrite tech5.
    assert (0 <= / INR (fact (S n)) * x ^ S n); [|lra].
    apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0 | apply pow_le; assumption]. }
  destruct (Rle_dec 1 l) as [|N]; [assumption|]. exfalso. destruct (Hl (1 - l)) as [n Hn]; [lra|].
  specialize (Hn n (le_n n)). specialize (P n). unfold R_dist in Hn. pose proof (Rle_abs (sum_f_R0 (fun i => / INR (fact i) * x ^ i) n - l)). lra.
Qed.

Lemma exp_grows : forall x y, x <= y -> exp x <= exp y.
Proof.
  intros x y H. replace y with (x + (y - x)) by ring. rewrite exp_plus. pose proof (exp_pos x).
  pose proof (exp_at_least_1 (y - x)). nra.
Qed.

(* The K-norm of (7.7): densities exp(-|y - a| eps/D) about means a, b no farther apart than D. *)
Theorem eq_7_7_knorm : forall q y a b D eps, 0 < D -> 0 <= eps -> length q (minus a b) <= D ->
  exp (- (length q (minus y a) * eps / D)) <= exp eps * exp (- (length q (minus y b) * eps / D)).
Proof.
  intros q y a b D eps HD He H. rewrite <- exp_plus.
  assert (T : length q (minus y b) <= length q (minus y a) + length q (minus a b)).
  { replace (length q (minus y b)) with (length q (plus (minus y a) (minus a b))); [apply triangle|].
    unfold length. f_equal. apply norm2_ext. intros. unfold plus, minus. ring. }
  assert (L : length q (minus y b) * eps / D <= length q (minus y a) * eps / D + eps).
  { apply Rmult_le_reg_r with D; [assumption|].
    replace (length q (minus y b) * eps / D * D) with (length q (minus y b) * eps) by (field; lra).
    replace ((length q (minus y a) * eps / D + eps) * D) with ((length q (minus y a) + D) * eps) by (field; lra).
    apply Rmult_le_compat_r; lra. }
  apply exp_grows. lra.
Qed.

(* (3.7) in squares, as it is compared with the code. *)
Theorem eq_3_7_square : forall l phi, 0 < l -> 0 < phi -> l / ((l + phi) * (l + phi)) * phi <= / 4.
Proof.
  intros l f Hl Hf. apply Rmult_le_reg_r with (4 * ((l + f) * (l + f))); [nra|].
  replace (l / ((l + f) * (l + f)) * f * (4 * ((l + f) * (l + f)))) with (4 * (l * f)) by (field; lra).
  replace (/ 4 * (4 * ((l + f) * (l + f)))) with ((l + f) * (l + f)) by field.
  assert (0 <= (l - f) * (l - f)) by apply Rle_0_sqr. nra.
Qed.

(* ---- stages that are planned from answers before them: (2.5), (7.9), (11.5), (14.6) ---- *)

(* Stage i asks a sum whose rows are clipped to tau i, a number that answers before it decided, and has noise of
   deviation 2 tau i/m i. In units of their noise all sums together move by mu at most, if the squares of m add up to no
   more than that of mu. *)
Theorem eq_14_6 : forall k (moved tau m : nat -> R) mu, (forall i, (i < k)%nat -> 0 < tau i) -> (forall i, (i < k)%nat -> 0 < m i) ->
  (forall i, (i < k)%nat -> moved i <= (2 * tau i) * (2 * tau i)) -> sum k (fun i => m i * m i) <= mu * mu ->
  sum k (fun i => moved i / ((2 * tau i / m i) * (2 * tau i / m i))) <= mu * mu.
Proof.
  intros k moved tau m mu Ht Hm H S. apply Rle_trans with (sum k (fun i => m i * m i)); [|assumption].
  apply sum_le. intros i Hi. specialize (Ht i Hi). specialize (Hm i Hi). specialize (H i Hi).
  assert (P : 0 < 2 * tau i / m i * (2 * tau i / m i)).
  { assert (0 < 2 * tau i / m i) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; assumption]).
    apply Rmult_lt_0_compat; assumption. }
  apply Rmult_le_reg_r with (2 * tau i / m i * (2 * tau i / m i)); [assumption|].
  replace (moved i / (2 * tau i / m i * (2 * tau i / m i)) * (2 * tau i / m i * (2 * tau i / m i))) with (moved i) by (field; lra).
  replace (m i * m i * (2 * tau i / m i * (2 * tau i / m i))) with (2 * tau i * (2 * tau i)) by (field; lra). assumption.
Qed.

(* How the stages of a difference share mu^2 out: w takes a, who lies far b, of the rest the three means s and t and what
   is left, after a first stage with a share f of that. *)
Theorem eq_14_6_shares : forall mu2 a b f s t, 0 <= mu2 -> 
  a * mu2 + b * mu2 + (1 - a - b) * mu2 * f + (1 - a - b) * mu2 * (1 - f) * (s + t + (1 - s - t)) <= mu2.
Proof. intros. right. ring. Qed.

(* (14.8): a point of the unit circle is no longer than 1, whatever the angle, so that (3.3) with tau = 1 holds. *)
Definition direction (theta : R) : nat -> R := fun i => match i with O => cos theta | _ => sin theta end.

Theorem eq_14_8 : forall n rows p a b, (p < n)%nat -> rows p = direction a ->
  norm2 2 (minus (total n (replaced rows p (direction b))) (total n rows)) <= (2 * 1) * (2 * 1).
Proof.
  intros n rows p a b Hp Hr.
  assert (L : forall x, norm2 2 (direction x) = 1).
  { intros. unfold norm2, dot, direction. simpl. pose proof (sin2_cos2 x). unfold Rsqr in *. lra. }
  apply eq_3_3; [assumption | lra | rewrite Hr, L; lra | rewrite L; lra].
Qed.

(* ---- growth, whole: (15.3) with the places that the code looks at ---- *)

Theorem eq_15_3_whole : forall p q r b w1 w2 w3 t Z z z' u u' v v' w w', 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> 0 < t ->
  z 0%nat = 1 -> z' 0%nat = 1 ->
  norm2 (S p) z <= Z -> norm2 (S p) z' <= Z -> norm2 (q + r) u <= t -> norm2 (q + r) u' <= t ->
  (forall k, (k < b)%nat -> 0 <= w k) -> (forall k, (k < b)%nat -> 0 <= w' k) -> sum b w <= 1 -> sum b w' <= 1 ->
  norm2 q v <= t -> norm2 q v' <= t ->
  exists rho d, place w1 w2 0 t Z rho d /\
    apart (S p) (q + r) q w1 w2 0 z z' u u' + w3 * banded b q w w' v v' <= moved w1 w2 0 t Z rho d + 2 * w3 * (t * t).
Proof.
  intros p q r b w1 w2 w3 t Z z z' u u' v v' w w' H1 H2 H3 Ht Hz0 Hz0' Hz Hz' Hu Hu' Hw Hw' Sw Sw' Hv Hv'.
  destruct (eq_15_3 p q r b w1 w2 w3 t Z z z' u u' v v' w w') as (rho & d & A & B & C); auto.
  assert (HZ : 1 <= Z).
  { apply Rle_trans with (norm2 (S p) z); [|assumption]. unfold norm2, dot.
    replace (S p) with (1 + p)%nat by lia. rewrite sum_split. simpl. rewrite Hz0.
    assert (0 <= sum p (fun i => z (S i) * z (S i))) by (apply sum_nonneg; intros; apply Rle_0_sqr). lra. }
  destruct (eq_12_2_places w1 w2 0 t Z rho d) as (rho' & d' & P & M); auto; [lra|].
  exists rho', d'. split; [assumption | lra].
Qed.

(* ---- the mean of a ball: (6.2) ---- *)

(* grad, grad' : the gradients of either data set at either end, along the geodesic between the two computed means of the
   direction u at its start and u' at its end; psi : the second one's slope along it, which grows at the rate h of (5.3). *)
Theorem eq_6_2 : forall m grad grad_start grad_end u u' psi d h K tolerance, 0 < h -> 0 <= d ->
  length m u = 1 -> length m u' = 1 ->
  length m grad <= tolerance -> length m (minus grad_start grad) <= K -> length m grad_end <= tolerance ->
  psi 0 = dot m grad_start u -> psi d = dot m grad_end u' ->
  (forall r s, 0 <= r <= s -> s <= d -> h * (s - r) <= psi s - psi r) ->
  d <= (K + 2 * tolerance) / h.
Proof.
  intros m g g0 g1 u u' psi d h K tol Hh Hd Lu Lu' Hg Hm Hg1 P0 P1 G.
  assert (A : - (tol + K) <= psi 0).
  { rewrite P0. pose proof (dot_below_lengths m g0 u) as C. rewrite Lu, Rmult_1_r in C.
    assert (length m g0 <= tol + K).
    { apply Rle_trans with (length m g + length m (minus g0 g)); [|lra].
      replace (length m g0) with (length m (plus g (minus g0 g))); [apply triangle|].
      unfold length. f_equal. apply norm2_ext. intros. unfold plus, minus. ring. }
    assert (- dot m g0 u <= Rabs (dot m g0 u)) by (rewrite <- Rabs_Ropp; apply Rle_abs). lra. }
  assert (B : psi d <= tol).
  { rewrite P1. pose proof (dot_below_lengths m g1 u') as C. rewrite Lu', Rmult_1_r in C.
    pose proof (Rle_abs (dot m g1 u')). lra. }
  assert (E : h * d <= psi d - psi 0) by (replace d with (d - 0) at 1 by lra; apply G; lra).
  apply Rmult_le_reg_r with h; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.


(* ---- the law of the discrete noise: (4.3) ---- *)

Fixpoint product (d : nat) (f : nat -> R) : R := match d with O => 1 | S k => product k f * f k end.

(* By how much a normaliser varies, q = exp(-2 pi^2 x^2) at the scale x. *)
Definition excess (q : R) : R := 2 * q / (1 - q * q * q).

Lemma cube_below : forall q, 0 < q < 1 -> 0 < q * q * q < 1.
Proof. intros q H. assert (0 < q * q < 1) by nra. nra. Qed.

Lemma powers_below : forall q N, 0 < q < 1 -> 2 * sum N (fun j => q ^ ((S j) * (S j))) <= excess q.
Proof.
  intros q N Hq. pose proof (cube_below q Hq) as C.
  assert (T : forall j, q ^ ((S j) * (S j)) <= q * (q * q * q) ^ j).
  { intros j. replace (q * (q * q * q) ^ j) with (q ^ (1 + 3 * j)).
    - replace (S j * S j)%nat with ((1 + 3 * j) + (j * j - j))%nat by nia. rewrite pow_add.
      rewrite <- (Rmult_1_r (q ^ (1 + 3 * j))) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
      rewrite <- (pow1 (j * j - j)). apply pow_incr. lra.
    - rewrite pow_add, pow_mult. simpl. ring_simplify (q * (q * (q * 1))). ring_simplify (q * q * q). ring. }
  assert (G : sum N (fun j => (q * q * q) ^ j) * (1 - q * q * q) <= 1).
  { assert (E : sum N (fun j => (q * q * q) ^ j) * (1 - q * q * q) = 1 - (q * q * q) ^ N).
    { induction N; simpl; [lra|]. rewrite Rmult_plus_distr_r, IHN. ring. }
    rewrite E. assert (0 <= (q * q * q) ^ N) by (apply pow_le; lra). lra. }
  assert (M : sum N (fun j => q ^ ((S j) * (S j))) <= q * sum N (fun j => (q * q * q) ^ j)).
  { rewrite <- sum_scale. apply sum_le. intros; apply T. }
  unfold excess. apply Rmult_le_reg_r with (1 - q * q * q); [lra|].
  replace (2 * q / (1 - q * q * q) * (1 - q * q * q)) with (2 * q) by (field; lra).
  assert (sum N (fun j => q ^ (S j * S j)) * (1 - q * q * q) <= q * sum N (fun j => (q * q * q) ^ j) * (1 - q * q * q))
    by (apply Rmult_le_compat_r; lra). nra.
Qed.

(* Poisson's sum gives a normaliser as A (1 + 2 sum over j of q^(j^2) cos 2 pi j y): between A (1 - e) and A (1 + e). *)
Theorem eq_4_3_normaliser : forall A q y Z, 0 < A -> 0 < q < 1 ->
  Un_cv (fun N => A * (1 + 2 * sum N (fun j => q ^ ((S j) * (S j)) * cos (2 * PI * INR (S j) * y)))) Z ->
  A * (1 - excess q) <= Z <= A * (1 + excess q).
Proof.
  intros A q y Z HA Hq HZ.
  assert (B : forall N, Rabs (2 * sum N (fun j => q ^ ((S j) * (S j)) * cos (2 * PI * INR (S j) * y))) <= excess q).
  { intros N. apply Rle_trans with (2 * sum N (fun j => q ^ ((S j) * (S j)))); [|apply powers_below; assumption].
    rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. apply Rmult_le_compat_l; [lra|].
    induction N; cbn [sum]; [rewrite Rabs_R0; lra|].
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [exact IHN|].
    rewrite Rabs_mult, (Rabs_pos_eq (q ^ _)) by (apply pow_le; lra).
    rewrite <- (Rmult_1_r (q ^ _)) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|]. apply Rabs_le. apply COS_bound. }
  assert (L : forall N, A * (1 - excess q) <= A * (1 + 2 * sum N (fun j => q ^ ((S j) * (S j)) * cos (2 * PI * INR (S j) * y)))
    <= A * (1 + excess q)).
  { intros N. specialize (B N). unfold Rabs in B. destruct (Rcase_abs _); split; apply Rmult_le_compat_l; lra. }
  assert (K : forall x, Un_cv (fun _ => x) x).
  { intros x e He. exists 0%nat. intros. unfold R_dist. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. assumption. }
  split.
  - eapply Rle_cv_lim; [intros N; apply (proj1 (L N)) | apply K | exact HZ].
  - eapply Rle_cv_lim; [intros N; apply (proj2 (L N)) | exact HZ | apply K].
Qed.

(* Noise of variance v and rounding of scale r about what it gives: together an even factor in y, about another center,
   times the weight of scale s, s^2 = r^2 + v. *)
Theorem eq_4_3_square : forall k y r2 v, 0 < r2 -> 0 < v ->
  (k - y) * (k - y) / (2 * r2) + y * y / (2 * v)
  = k * k / (2 * (r2 + v)) + (y - k * (v / (r2 + v))) * (y - k * (v / (r2 + v))) / (2 * (r2 * v / (r2 + v))).
Proof. intros. field. repeat split; lra. Qed.

(* A mean over y, by whatever law: an integral that keeps order and constants. *)
Definition average (E : (R -> R) -> R) : Prop :=
  (forall f g, (forall y, f y <= g y) -> E f <= E g) /\ (forall c, E (fun _ => c) = c).

(* Of d integers, w their weights exp(-k^2/(2 s^2)): the drawn probability is w over the normaliser N of scale s; that of
   Gaussian noise rounded at random is w/A times the mean of B/Z(y), Z the normaliser of scale r; both normalisers are as
   above, A and B the integrals. Each is at most c^d times the other. *)
Theorem eq_4_3 : forall d (w N : nat -> R) (E : nat -> (R -> R) -> R) (Z : nat -> R -> R) A B es er,
  0 < A -> 0 < B -> 0 <= es -> es <= er -> er < 1 ->
  (forall i, (i < d)%nat -> 0 < w i) -> (forall i, (i < d)%nat -> average (E i)) ->
  (forall i, (i < d)%nat -> A * (1 - es) <= N i <= A * (1 + es)) ->
  (forall i y, (i < d)%nat -> B * (1 - er) <= Z i y <= B * (1 + er)) ->
  let drawn := product d (fun i => w i / N i) in
  let rounded := product d (fun i => w i / A * E i (fun y => B / Z i y)) in
  let c := product d (fun _ => (1 + es) / (1 - er)) in
  rounded <= c * drawn /\ drawn <= c * rounded.
Proof.
  intros d w N E Z A B es er HA HB He Hle Hr Hw HE HN HZ drawn rounded c.
  assert (S : forall i, (i < d)%nat -> 0 < w i / N i /\ 0 < w i / A * E i (fun y => B / Z i y) /\
    w i / A * E i (fun y => B / Z i y) <= (1 + es) / (1 - er) * (w i / N i) /\
    w i / N i <= (1 + es) / (1 - er) * (w i / A * E i (fun y => B / Z i y))).
  { intros i Hi. destruct (HE i Hi) as [Mono Const]. specialize (Hw i Hi). destruct (HN i Hi) as [N1 N2].
    assert (NA : 0 < N i) by nra.
    assert (ZB : forall y, / (1 + er) <= B / Z i y <= / (1 - er)).
    { intros y. destruct (HZ i y Hi) as [Z1 Z2]. assert (0 < Z i y) by nra. split.
      - apply Rmult_le_reg_r with ((1 + er) * Z i y); [nra|].
        replace (/ (1 + er) * ((1 + er) * Z i y)) with (Z i y) by (field; lra).
        replace (B / Z i y * ((1 + er) * Z i y)) with (B * (1 + er)) by (field; lra). assumption.
      - apply Rmult_le_reg_r with ((1 - er) * Z i y); [nra|].
        replace (/ (1 - er) * ((1 - er) * Z i y)) with (Z i y) by (field; lra).
        replace (B / Z i y * ((1 - er) * Z i y)) with (B * (1 - er)) by (field; lra). assumption. }
    set (e := E i (fun y => B / Z i y)).
    assert (E1 : / (1 + er) <= e) by (rewrite <- (Const (/ (1 + er))); apply Mono; intros; apply ZB).
    assert (E2 : e <= / (1 - er)) by (rewrite <- (Const (/ (1 - er))); apply Mono; intros; apply ZB).
    assert (I1 : 0 < / (1 + er)) by (apply Rinv_0_lt_compat; lra).
    assert (e0 : 0 < e) by lra.
    assert (WA : 0 < w i / A) by (apply Rmult_lt_0_compat; [assumption | apply Rinv_0_lt_compat; assumption]).
    assert (WN : 0 < w i / N i) by (apply Rmult_lt_0_compat; [assumption | apply Rinv_0_lt_compat; assumption]).
    assert (F1 : w i / A <= w i / N i * (1 + es)).
    { apply Rmult_le_reg_r with (A * N i); [nra|].
      replace (w i / A * (A * N i)) with (w i * N i) by (field; lra).
      replace (w i / N i * (1 + es) * (A * N i)) with (w i * (A * (1 + es))) by (field; lra).
      apply Rmult_le_compat_l; lra. }
    assert (F2 : w i / N i * (1 - es) <= w i / A).
    { apply Rmult_le_reg_r with (A * N i); [nra|].
      replace (w i / A * (A * N i)) with (w i * N i) by (field; lra).
      replace (w i / N i * (1 - es) * (A * N i)) with (w i * (A * (1 - es))) by (field; lra).
      apply Rmult_le_compat_l; lra. }
    assert (J : 0 < / (1 - er)) by (apply Rinv_0_lt_compat; lra).
    split; [assumption|]. split; [apply Rmult_lt_0_compat; assumption|]. split.
    - apply Rle_trans with (w i / A * / (1 - er)); [apply Rmult_le_compat_l; lra|].
      replace ((1 + es) / (1 - er) * (w i / N i)) with (w i / N i * (1 + es) * / (1 - er)) by (field; lra).
      apply Rmult_le_compat_r; lra.
    - (* (1 + er)(1 - er) <= (1 + es)(1 - es), as es <= er *)
      assert (Q : (1 - er) * (1 + er) <= (1 + es) * (1 - es)) by nra.
      assert (K : w i / N i * (1 - es) * e <= w i / A * e) by (apply Rmult_le_compat_r; lra).
      assert (K2 : 1 <= (1 + es) / (1 - er) * ((1 - es) * / (1 + er))).
      { apply Rmult_le_reg_r with ((1 - er) * (1 + er)); [nra|].
        replace ((1 + es) / (1 - er) * ((1 - es) * / (1 + er)) * ((1 - er) * (1 + er))) with ((1 + es) * (1 - es)) by (field; lra).
        lra. }
      assert (K3 : w i / N i <= (1 + es) / (1 - er) * (w i / N i * ((1 - es) * / (1 + er)))).
      { replace ((1 + es) / (1 - er) * (w i / N i * ((1 - es) * / (1 + er)))) with
          (w i / N i * ((1 + es) / (1 - er) * ((1 - es) * / (1 + er)))) by ring.
        rewrite <- (Rmult_1_r (w i / N i)) at 1. apply Rmult_le_compat_l; lra. }
      apply Rle_trans with ((1 + es) / (1 - er) * (w i / N i * ((1 - es) * / (1 + er)))); [assumption|].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
      apply Rle_trans with (w i / N i * (1 - es) * e); [|assumption].
      replace (w i / N i * ((1 - es) * / (1 + er))) with (w i / N i * (1 - es) * / (1 + er)) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption]. }
  assert (P : forall (a b : nat -> R) k m, 0 <= k -> (m <= d)%nat ->
    (forall i, (i < d)%nat -> 0 < a i /\ 0 < b i /\ a i <= k * b i) ->
    0 < product m a /\ 0 < product m b /\ product m a <= product m (fun _ => k) * product m b).
  { intros a b k m Hk Hm H. induction m; simpl; [lra|].
    destruct IHm as (Pa & Pb & L); [lia|]. destruct (H m) as (Qa & Qb & M); [lia|].
    split; [apply Rmult_lt_0_compat; assumption|]. split; [apply Rmult_lt_0_compat; assumption|].
    replace (product m (fun _ => k) * k * (product m b * b m)) with (product m (fun _ => k) * product m b * (k * b m)) by ring.
    apply Rmult_le_compat; lra. }
  assert (C0 : 0 <= (1 + es) / (1 - er)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  split; unfold drawn, rounded, c.
  - apply P; [assumption | lia | intros i Hi; destruct (S i Hi) as (? & ? & ? & ?); auto].
  - apply P; [assumption | lia | intros i Hi; destruct (S i Hi) as (? & ? & ? & ?); auto].
Qed.


(* ---- rounding: (4.7) ---- *)

(* A sum as a computer adds it up, in any order: a leaf is a product, delta the relative error of that product or sum. *)
Inductive rounded : Type := Leaf (x delta : R) | Node (left right : rounded) (delta : R).
Fixpoint computed (t : rounded) : R :=
  match t with Leaf x e => x * (1 + e) | Node l r e => (computed l + computed r) * (1 + e) end.
Fixpoint exact (t : rounded) : R := match t with Leaf x _ => x | Node l r _ => exact l + exact r end.
Fixpoint sizes (t : rounded) : R := match t with Leaf x _ => Rabs x | Node l r _ => sizes l + sizes r end.
Fixpoint height (t : rounded) : nat := match t with Leaf _ _ => 1%nat | Node l r _ => S (max (height l) (height r)) end.
Fixpoint errors_below (u : R) (t : rounded) : Prop :=
  match t with Leaf _ e => Rabs e <= u | Node l r e => Rabs e <= u /\ errors_below u l /\ errors_below u r end.

Lemma sizes_nonneg : forall t, 0 <= sizes t.
Proof. induction t; simpl; [apply Rabs_pos | lra]. Qed.

Lemma exact_below_sizes : forall t, Rabs (exact t) <= sizes t.
Proof. induction t; simpl; [lra|]. eapply Rle_trans; [apply Rabs_triang | lra]. Qed.

Theorem eq_4_7_order : forall u t m, 0 <= u -> errors_below u t -> (height t <= m)%nat ->
  Rabs (computed t - exact t) <= ((1 + u) ^ m - 1) * sizes t.
Proof.
  intros u t m Hu. revert m. induction t as [x e | l IHl r IHr e]; intros m He Hm; simpl in *.
  - replace (x * (1 + e) - x) with (e * x) by ring. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
    destruct m as [|m]; [lia|]. simpl. assert (1 <= (1 + u) ^ m) by (apply pow_R1_Rle; lra). nra.
  - destruct He as (E & El & Er). destruct m as [|m]; [lia|].
    specialize (IHl m El ltac:(lia)). specialize (IHr m Er ltac:(lia)).
    pose proof (sizes_nonneg l). pose proof (sizes_nonneg r).
    pose proof (exact_below_sizes l). pose proof (exact_below_sizes r).
    assert (1 <= (1 + u) ^ m) by (apply pow_R1_Rle; lra). set (g := (1 + u) ^ m) in *.
    replace ((computed l + computed r) * (1 + e) - (exact l + exact r)) with
      ((computed l - exact l) * (1 + e) + (computed r - exact r) * (1 + e) + e * (exact l + exact r)) by ring.
    assert (F : Rabs (1 + e) <= 1 + u) by (eapply Rle_trans; [apply Rabs_triang | rewrite Rabs_R1; lra]).
    eapply Rle_trans; [apply Rabs_triang|].
    eapply Rle_trans; [apply Rplus_le_compat_r; apply Rabs_triang|]. rewrite !Rabs_mult.
    assert (A : Rabs (computed l - exact l) * Rabs (1 + e) <= (g - 1) * sizes l * (1 + u))
      by (apply Rmult_le_compat; auto using Rabs_pos).
    assert (B : Rabs (computed r - exact r) * Rabs (1 + e) <= (g - 1) * sizes r * (1 + u))
      by (apply Rmult_le_compat; auto using Rabs_pos).
    assert (C : Rabs e * Rabs (exact l + exact r) <= u * (sizes l + sizes r)).
    { apply Rmult_le_compat; auto using Rabs_pos. eapply Rle_trans; [apply Rabs_triang | lra]. }
    change ((1 + u) ^ S m) with ((1 + u) * g). nra.
Qed.

(* (1 + u)^m - 1 is little more than m u. *)
Lemma growth_below : forall u m, 0 <= u -> INR m * u <= / 100 -> (1 + u) ^ m - 1 <= 102 / 100 * (INR m * u).
Proof.
  intros u m Hu. induction m; intros Hm; [simpl; lra|].
  rewrite S_INR in *. assert (0 <= INR m) by apply pos_INR.
  assert (I : (1 + u) ^ m - 1 <= 102 / 100 * (INR m * u)) by (apply IHm; nra).
  assert (0 <= INR m * u) by (apply Rmult_le_pos; assumption).
  assert (P : (1 + u) ^ m * u <= (1 + 102 / 100 * / 100) * u) by (apply Rmult_le_compat_r; [assumption | nra]).
  change ((1 + u) ^ S m) with ((1 + u) * (1 + u) ^ m). nra.
Qed.

Lemma length_le : forall d x y, (forall l, (l < d)%nat -> Rabs (x l) <= y l) -> length d x <= length d y.
Proof.
  intros d x y H. unfold length. apply sqrt_le_1; try apply norm2_nonneg. unfold norm2, dot. apply sum_le.
  intros l Hl. specialize (H l Hl). pose proof (Rabs_pos (x l)).
  replace (x l * x l) with (Rabs (x l) * Rabs (x l)) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr). nra.
Qed.

Definition absolute (x : nat -> R) : nat -> R := fun l => Rabs (x l).

Lemma length_absolute : forall d x, length d (absolute x) = length d x.
Proof.
  intros. unfold length, norm2, dot, absolute. f_equal. apply sum_ext. intros.
  rewrite <- Rabs_mult. apply Rabs_pos_eq, Rle_0_sqr.
Qed.

Lemma length_scaled : forall d c x, 0 <= c -> length d (scaled c x) = c * length d x.
Proof.
  intros d c x Hc. unfold length. rewrite norm2_scaled, (sqrt_mult (c * c) (norm2 d x) (Rle_0_sqr c) (norm2_nonneg d x)).
  rewrite sqrt_square by assumption. reflexivity.
Qed.

Lemma length_sum : forall d n (v : nat -> nat -> R), length d (fun l => sum n (fun i => v i l)) <= sum n (fun i => length d (v i)).
Proof.
  intros d n v. induction n; simpl.
  - unfold length, norm2, dot. rewrite (sum_scale d 0 (fun _ => 0)), Rmult_0_l, sqrt_0. lra.
  - eapply Rle_trans; [|apply Rplus_le_compat_r, IHn]. apply (triangle d (fun l => sum n (fun i => v i l)) (v n)).
Qed.

Lemma Rabs_sum : forall n f, Rabs (sum n f) <= sum n (fun i => Rabs (f i)).
Proof. induction n; intros; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|]. specialize (IHn f). lra. Qed.

Lemma both_below : forall a b t, 0 <= t -> a * a + b * b <= t * t -> Rabs a + Rabs b <= 14143 / 10000 * t.
Proof.
  intros a b t Ht H. apply below_by_squares; [lra|].
  assert (A : Rabs a * Rabs a = a * a) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
  assert (B : Rabs b * Rabs b = b * b) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
  assert (0 <= (Rabs a - Rabs b) * (Rabs a - Rabs b)) by apply Rle_0_sqr. nra.
Qed.

(* The gradient that the code computes, of n points of k complex numbers, as d = 2k real ones: the mean over people of
   s x - (a z + b iz), where s is real and a + bi complex, all of a size of t/sin t <= 1.2 at most. The coefficients are off
   by 4 (k + 4) u at most, and each product passes 2 n + 4 roundings at most on its way into its coordinate: real and imaginary
   parts may be added up in turn. *)
Theorem eq_4_7 : forall d n k (x : nat -> R) (z iz : nat -> nat -> R) (s a b s' a' b' : nat -> R) (t : nat -> rounded) u,
  (0 < n)%nat -> (3 <= k)%nat -> 0 < u -> INR (2 * n + 4) * u <= / 100 -> 4 * (INR k + 4) * u <= / 100 ->
  length d x <= 1 -> (forall i, (i < n)%nat -> length d (z i) <= 1) -> (forall i, (i < n)%nat -> length d (iz i) <= 1) ->
  (forall i, (i < n)%nat -> Rabs (s i) <= 12 / 10) ->
  (forall i, (i < n)%nat -> a i * a i + b i * b i <= (12 / 10) * (12 / 10)) ->
  (forall i, (i < n)%nat -> Rabs (s' i - s i) <= 4 * (INR k + 4) * u) ->
  (forall i, (i < n)%nat -> (a' i - a i) * (a' i - a i) + (b' i - b i) * (b' i - b i)
    <= (4 * (INR k + 4) * u) * (4 * (INR k + 4) * u)) ->
  (forall l, (l < d)%nat -> errors_below u (t l) /\ (height (t l) <= 2 * n + 4)%nat /\
    exact (t l) = sum n (fun i => s' i * x l - (a' i * z i l + b' i * iz i l)) /\
    sizes (t l) = sum n (fun i => Rabs (s' i) * Rabs (x l) + Rabs (a' i) * Rabs (z i l) + Rabs (b' i) * Rabs (iz i l))) ->
  length d (fun l => / INR n * (computed (t l) - sum n (fun i => s i * x l - (a i * z i l + b i * iz i l))))
  <= u * (6 * (INR n + 2) + 12 * (INR k + 4)).
Proof.
  intros d n k x z iz s a b s' a' b' t u Hn Hk Hu Hnu Hku Lx Lz Liz Bs Bab Es Eab Ht.
  set (alpha := 4 * (INR k + 4) * u) in *. set (g := (1 + u) ^ (2 * n + 4) - 1).
  assert (G0 : 0 <= g) by (unfold g; assert (1 <= (1 + u) ^ (2 * n + 4)) by (apply pow_R1_Rle; lra); lra).
  assert (G : g <= 102 / 100 * (INR (2 * n + 4) * u)) by (apply growth_below; lra).
  assert (Nn : 0 < INR n) by (apply lt_0_INR; assumption).
  assert (Kk : 3 <= INR k) by (apply le_INR in Hk; simpl in Hk; lra).
  assert (A0 : 0 <= alpha) by (unfold alpha; nra).
  pose (cs := fun i => g * Rabs (s' i) + Rabs (s' i - s i)).
  pose (ca := fun i => g * Rabs (a' i) + Rabs (a' i - a i)).
  pose (cb := fun i => g * Rabs (b' i) + Rabs (b' i - b i)).
  assert (P : forall y, 0 <= g * Rabs y) by (intros; apply Rmult_le_pos; [assumption | apply Rabs_pos]).
  assert (C0 : forall i, 0 <= cs i /\ 0 <= ca i /\ 0 <= cb i).
  { intros i. unfold cs, ca, cb. pose proof (P (s' i)). pose proof (P (a' i)). pose proof (P (b' i)).
    pose proof (Rabs_pos (s' i - s i)). pose proof (Rabs_pos (a' i - a i)). pose proof (Rabs_pos (b' i - b i)). lra. }
  (* each coordinate *)
  assert (E : forall l, (l < d)%nat ->
    Rabs (computed (t l) - sum n (fun i => s i * x l - (a i * z i l + b i * iz i l)))
    <= sum n (fun i => plus (scaled (cs i) (absolute x)) (plus (scaled (ca i) (absolute (z i))) (scaled (cb i) (absolute (iz i)))) l)).
  { intros l Hl. destruct (Ht l Hl) as (He & Hh & Ex & Sz).
    pose proof (eq_4_7_order u (t l) (2 * n + 4) (Rlt_le _ _ Hu) He Hh) as O. fold g in O. rewrite Sz, Ex in O.
    replace (computed (t l) - sum n (fun i => s i * x l - (a i * z i l + b i * iz i l))) with
      ((computed (t l) - sum n (fun i => s' i * x l - (a' i * z i l + b' i * iz i l))) +
       sum n (fun i => (s' i - s i) * x l + (- (a' i - a i) * z i l + - (b' i - b i) * iz i l))).
    2: { rewrite (sum_ext n (fun i => (s' i - s i) * x l + (- (a' i - a i) * z i l + - (b' i - b i) * iz i l))
           (fun i => (s' i * x l - (a' i * z i l + b' i * iz i l)) + -1 * (s i * x l - (a i * z i l + b i * iz i l)))) by (intros; ring).
         rewrite sum_plus, sum_scale. ring. }
    eapply Rle_trans; [apply Rabs_triang|].
    eapply Rle_trans; [apply Rplus_le_compat; [exact O | apply Rabs_sum]|].
    rewrite <- sum_scale, <- sum_plus. apply sum_le. intros i Hi. unfold plus, scaled, absolute, cs, ca, cb.
    assert (T : Rabs ((s' i - s i) * x l + (- (a' i - a i) * z i l + - (b' i - b i) * iz i l)) <=
      Rabs (s' i - s i) * Rabs (x l) + (Rabs (a' i - a i) * Rabs (z i l) + Rabs (b' i - b i) * Rabs (iz i l))).
    { eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat_l.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, !Rabs_Ropp. lra. }
    nra. }
  (* each person *)
  assert (L : forall i, (i < n)%nat ->
    length d (plus (scaled (cs i) (absolute x)) (plus (scaled (ca i) (absolute (z i))) (scaled (cb i) (absolute (iz i)))))
    <= 2922 / 1000 * g + 24143 / 10000 * alpha).
  { intros i Hi. destruct (C0 i) as (c1 & c2 & c3).
    eapply Rle_trans; [apply triangle|]. eapply Rle_trans; [apply Rplus_le_compat_l, triangle|].
    rewrite !length_scaled, !length_absolute by assumption.
    specialize (Lz i Hi). specialize (Liz i Hi). specialize (Bs i Hi). specialize (Bab i Hi). specialize (Es i Hi). specialize (Eab i Hi).
    pose proof (both_below (a i) (b i) (12 / 10) ltac:(lra) Bab) as B1.
    pose proof (both_below (a' i - a i) (b' i - b i) alpha A0 Eab) as B2.
    assert (S1 : Rabs (s' i) <= 12 / 10 + alpha).
    { replace (s' i) with (s i + (s' i - s i)) by ring. eapply Rle_trans; [apply Rabs_triang | lra]. }
    assert (S2 : Rabs (a' i) + Rabs (b' i) <= 14143 / 10000 * (12 / 10) + 14143 / 10000 * alpha).
    { assert (Rabs (a' i) <= Rabs (a i) + Rabs (a' i - a i)).
      { replace (a' i) with (a i + (a' i - a i)) at 1 by ring. apply Rabs_triang. }
      assert (Rabs (b' i) <= Rabs (b i) + Rabs (b' i - b i)).
      { replace (b' i) with (b i + (b' i - b i)) at 1 by ring. apply Rabs_triang. }
      lra. }
    assert (Q : forall c v, 0 <= c -> v <= 1 -> c * v <= c) by (intros; nra).
    pose proof (Q (cs i) (length d x) c1 Lx). pose proof (Q (ca i) (length d (z i)) c2 Lz). pose proof (Q (cb i) (length d (iz i)) c3 Liz).
    assert (cs i + (ca i + cb i) <= 2922 / 1000 * g + 24143 / 10000 * alpha); [|lra].
    unfold cs, ca, cb.
    assert (g * Rabs (s' i) + g * (Rabs (a' i) + Rabs (b' i)) <= g * (2922 / 1000)); [|lra].
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [assumption|]. lra. }
  assert (I0 : 0 < / INR n) by (apply Rinv_0_lt_compat; assumption).
  apply Rle_trans with (/ INR n * length d (fun l => sum n (fun i => plus (scaled (cs i) (absolute x))
    (plus (scaled (ca i) (absolute (z i))) (scaled (cb i) (absolute (iz i)))) l))).
  { rewrite <- length_scaled by lra. apply length_le. intros l Hl. unfold scaled at 1.
    rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by lra. apply Rmult_le_compat_l; [lra | apply E; assumption]. }
  apply Rle_trans with (/ INR n * sum n (fun _ => 2922 / 1000 * g + 24143 / 10000 * alpha)).
  { apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [apply length_sum|]. apply sum_le. intros. apply L. assumption. }
  assert (S : forall m c, sum m (fun _ => c) = INR m * c).
  { induction m; intros; [simpl; lra|]. rewrite S_INR. simpl. rewrite IHm. lra. }
  rewrite S, <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
  rewrite plus_INR, mult_INR in *. replace (INR 4) with 4 in * by (simpl; lra). replace (INR 2) with 2 in * by (simpl; lra). unfold alpha in *.
  assert (u * (2922 / 1000 * (102 / 100) * (2 * INR n + 4) + 24143 / 10000 * (4 * (INR k + 4)))
    <= u * (6 * (INR n + 2) + 12 * (INR k + 4))).
  { apply Rmult_le_compat_l; [lra|]. lra. }
  lra.
Qed.
