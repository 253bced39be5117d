#include "solver.h"

namespace {
// Constants of Bullet's physics server.
const btScalar SLOP = btScalar(0.00001);
const btScalar LIMIT_ERP = btScalar(0.2);
const btScalar DEEP = -.04f;                // beyond it a limit row corrects velocity alone
const btScalar MAX_LIMIT_IMPULSE = 100;
const btScalar MAX_CONTACT_IMPULSE = 1e10f;
const btScalar SMALL_ENOUGH = btScalar(1e-7);  // squared change of velocity at which iterating stops
}  // namespace

void Solver::solve(btMultiBody& robot, const FloorContacts& contacts)
{
	m_coordinates = robot.getNumDofs() + 6;
	m_contact_rows.clear();
	m_limit_rows.clear();
	touching(contacts, m_touching);
	m_response.update(robot);
	for (int i = 0; i < m_touching.size(); i++) {
		const btPersistentManifold& points = m_touching[i]->points();
		for (int p = 0; p < points.getNumContacts(); p++) add_contact(robot, m_touching[i]->link(), points.getContactPoint(p));
	}
	for (const JointLimit& limit : m_limits) add_limit(robot, limit);

	for (int i = 0; i < m_coordinates; i++) m_change[i] = 0;
	if (!m_contact_rows.empty() || !m_limit_rows.empty())
		for (int iteration = 0; iteration < m_settings.iterations; iteration++)
			if (sweep(iteration) <= SMALL_ENOUGH) break;
	robot.applyDeltaVeeMultiDof(m_change, 1);
}

void Solver::add_contact(const btMultiBody& robot, int link, const btManifoldPoint& point)
{
	m_contact_rows.emplace_back();
	ContactRows& rows = m_contact_rows.back();
	rows.friction = point.m_combinedFriction;

	btVector3 across, along;
	btPlaneSpace1(point.m_normalWorldOnB, across, along);
	across.normalize();
	along.normalize();
	Row* row[3] = {&rows.normal, &rows.across, &rows.along};
	btScalar* jacobian[3] = {rows.normal.jacobian, rows.across.jacobian, rows.along.jacobian};
	const btVector3 direction[3] = {point.m_normalWorldOnB, across, along};
	m_response.jacobians(point.m_positionWorldOnA, link, direction, jacobian);
	for (Row* each : row) prepare(robot, link, *each);

	const btScalar distance = point.getDistance() + SLOP;
	btScalar speed = -rows.normal.goal;
	btScalar correction = 0;
	if (distance > 0)
		speed -= distance / m_settings.time_step;
	else
		correction = -distance * m_settings.contact_erp / m_settings.time_step;
	rows.normal.goal = correction * rows.normal.inverse_mass_factor + speed * rows.normal.inverse_mass_factor;
	rows.normal.lower = 0;
	rows.normal.upper = MAX_CONTACT_IMPULSE;
	rows.across.goal = -rows.across.goal * rows.across.inverse_mass_factor;
	rows.along.goal = -rows.along.goal * rows.along.inverse_mass_factor;
}

void Solver::add_limit(const btMultiBody& robot, const JointLimit& limit)
{
	const btScalar position = robot.getJointPos(limit.link);
	const btScalar room[2] = {position - limit.lower, limit.upper - position};
	for (int side = 0; side < 2; side++) {
		if (room[side] > 0) continue;
		m_limit_rows.emplace_back();
		Row& row = m_limit_rows.back();
		for (int i = 0; i < m_coordinates; i++) row.jacobian[i] = 0;
		row.jacobian[6 + robot.getLink(limit.link).m_dofOffset] = side ? -1 : 1;
		prepare(robot, limit.link, row);

		const btScalar speed = -row.goal;
		const btScalar correction = -room[side] * LIMIT_ERP / m_settings.time_step;
		row.goal = speed * row.inverse_mass_factor;
		if (room[side] > DEEP) row.goal = correction * row.inverse_mass_factor + row.goal;
		row.lower = 0;
		row.upper = MAX_LIMIT_IMPULSE;
	}
}

// Fills in the response and leaves the present velocity along the row in its goal.
void Solver::prepare(const btMultiBody& robot, int link, Row& row)
{
	row.impulse = 0;
	// On a fixed base, a force that drives no joint moves nothing: friction across the plane of a planar robot.
	if (robot.hasFixedBase() && drives_no_joint(row)) {
		for (int i = 0; i < m_coordinates; i++) row.response[i] = 0;
		row.inverse_mass_factor = row.goal = 0;
		return;
	}
	m_response.compute(row.jacobian, link, row.response);
	const btScalar* velocity = robot.getVelocityVector();
	btScalar mobility = 0, speed = 0;
	for (int i = 0; i < m_coordinates; i++) {
		mobility += row.jacobian[i] * row.response[i];
		speed += velocity[i] * row.jacobian[i];
	}
	row.inverse_mass_factor = mobility > SIMD_EPSILON ? 1 / mobility : 0;
	row.goal = speed;
}

bool Solver::drives_no_joint(const Row& row) const
{
	for (int i = 6; i < m_coordinates; i++)
		if (row.jacobian[i] != 0) return false;
	return true;
}

// Relaxes every row once. Returns the greatest squared change of velocity along a row, as Bullet forms it: a row that moves nothing has
// 0 / 0 there, which the comparison below lets the next row replace.
btScalar Solver::sweep(int iteration)
{
	btScalar limits = 0;
	const int count = int(m_limit_rows.size());
	for (int i = 0; i < count; i++) {
		const btScalar change = relax(m_limit_rows[iteration & 1 ? i : count - 1 - i]);
		limits = btMax(limits, change * change);
	}
	btScalar greatest = btMax(btScalar(0), limits);
	for (ContactRows& contact : m_contact_rows) {
		const btScalar change = relax(contact.normal);
		greatest = btMax(greatest, change * change);
	}
	for (ContactRows& contact : m_contact_rows) {
		const btScalar change = relax_friction(contact);
		greatest = btMax(greatest, change * change);
	}
	return greatest;
}

btScalar Solver::relax(Row& row)
{
	btScalar step = row.goal - closing_speed(row) * row.inverse_mass_factor;
	const btScalar sum = row.impulse + step;
	if (sum < row.lower) {
		step = row.lower - row.impulse;
		row.impulse = row.lower;
	} else if (sum > row.upper) {
		step = row.upper - row.impulse;
		row.impulse = row.upper;
	} else {
		row.impulse = sum;
	}
	apply(row, step);
	return step / row.inverse_mass_factor;
}

namespace {
// Clips `sum` to [-bound, bound], stores it as the row's impulse and returns the step that led there.
btScalar clip(Row& row, btScalar sum, btScalar step, btScalar bound)
{
	if (sum < -bound) {
		step = -bound - row.impulse;
		row.impulse = -bound;
	} else if (sum > bound) {
		step = bound - row.impulse;
		row.impulse = bound;
	} else {
		row.impulse = sum;
	}
	return step;
}
}  // namespace

// Both directions of friction together, within a cone around the normal impulse.
btScalar Solver::relax_friction(ContactRows& contact)
{
	Row &across = contact.across, &along = contact.along;
	const btScalar bound = -(contact.friction * contact.normal.impulse);
	btScalar step_along = along.goal - closing_speed(along) * along.inverse_mass_factor;
	btScalar step_across = across.goal - closing_speed(across) * across.inverse_mass_factor;
	const btScalar sum_along = along.impulse + step_along;
	const btScalar sum_across = across.impulse + step_across;

	if (sum_across * sum_across + sum_along * sum_along >= bound * bound) {
		// With nothing across, the angle is 0 or pi and its cosine 1 or -1.
		const bool straight = sum_across == 0;
		const btScalar angle = straight ? 0 : btAtan2(sum_across, sum_along);
		step_across = clip(across, sum_across, step_across, straight ? 0 : btFabs(bound * btSin(angle)));
		step_along = clip(along, sum_along, step_along, straight ? btFabs(bound) : btFabs(bound * btCos(angle)));
	} else {
		across.impulse = sum_across;
		along.impulse = sum_along;
	}
	apply(across, step_across);
	apply(along, step_along);
	return step_across / across.inverse_mass_factor + step_along / along.inverse_mass_factor;
}

btScalar Solver::closing_speed(const Row& row) const
{
	btScalar speed = 0;
	for (int i = 0; i < m_coordinates; i++) speed += row.jacobian[i] * m_change[i];
	return speed;
}

void Solver::apply(const Row& row, btScalar impulse)
{
	for (int i = 0; i < m_coordinates; i++) m_change[i] += row.response[i] * impulse;
}
