#include "response.h"

namespace {
// btMultiBody keeps what its articulated-body pass found, and has no accessors. An explicit instantiation may name private members; each one
// here defines a function that hands out a pointer to one of them.
template <typename Member, typename Member::type pointer>
struct Reveal {
	friend typename Member::type reveal(Member) { return pointer; }
};
#define REVEAL(name, of_type, member)                    \
	struct name {                                        \
		typedef of_type btMultiBody::*type;              \
		friend type reveal(name);                        \
	};                                                   \
	template struct Reveal<name, &btMultiBody::member>;

REVEAL(Vectors, btAlignedObjectArray<btVector3>, m_vectorBuf)
REVEAL(Matrices, btAlignedObjectArray<btMatrix3x3>, m_matrixBuf)
REVEAL(TopLeft, btMatrix3x3, m_cachedInertiaTopLeft)
REVEAL(TopRight, btMatrix3x3, m_cachedInertiaTopRight)
REVEAL(LowerLeft, btMatrix3x3, m_cachedInertiaLowerLeft)
REVEAL(LowerRight, btMatrix3x3, m_cachedInertiaLowerRight)
#undef REVEAL
}  // namespace

void Response::update(const btMultiBody& robot)
{
	const int links = robot.getNumLinks(), joints = robot.getNumDofs();
	if (m_accelerations.empty()) {  // the first time
		m_parts.resize(links);
		m_accelerations.resize(links + 1);
		m_forces.resize(joints);
		for (int i = 0; i < links; i++) m_parts[i].ends = robot.getLink(i).m_dofCount == 0;
		for (int i = 0; i < links; i++)
			if (robot.getParent(i) >= 0) m_parts[robot.getParent(i)].ends = false;
	}
	m_coordinates = joints + 6;
	m_fixed = robot.hasFixedBase();
	m_base_position = robot.getBasePos();

	const btMatrix3x3* rotations = &(robot.*reveal(Matrices()))[0];
	const btVector3* vectors = joints ? &(robot.*reveal(Vectors()))[0] : nullptr;
	const btScalar* inverses = robot.getVelocityVector() + 6 + joints;
	m_base_rotation = rotations[0];
	for (int i = 0; i < links; i++) {
		const btMultibodyLink& link = robot.getLink(i);
		Part& part = m_parts[i];
		part.parent = link.m_parent;
		part.turns = link.m_jointType == btMultibodyLink::eRevolute;
		part.offset = link.m_cachedRVector;
		part.coordinate = link.m_dofCount ? link.m_dofOffset : -1;
		if (part.turns) part.rotation = rotations[i + 1];
		if (link.m_dofCount == 0) continue;
		part.axis = link.m_axes[0];
		part.inertia_along_axis.m_topVec = vectors[2 * link.m_dofOffset];
		part.inertia_along_axis.m_bottomVec = vectors[2 * link.m_dofOffset + 1];
		part.inverse_inertia = inverses[link.m_dofOffset * link.m_dofOffset];
	}
	m_base_mass = robot.getBaseMass();
	m_base_inertia = robot.getBaseInertia();
	if (!m_fixed && links > 0) invert_base_inertia(robot);
}

// The inverse of a spatial inertia by blocks, in the order of operations of btMultiBody::solveImatrix.
void Response::invert_base_inertia(const btMultiBody& robot)
{
	const btMatrix3x3 &top_left = robot.*reveal(TopLeft()), &lower_right = robot.*reveal(LowerRight());
	const btMatrix3x3 minus_inverse_mass = (robot.*reveal(TopRight())).inverse() * -1.f;
	m_upper_right = (lower_right * minus_inverse_mass * top_left + robot.*reveal(LowerLeft())).inverse();
	m_upper_left = m_upper_right * lower_right * minus_inverse_mass;
	m_lower_right = m_upper_left.transpose();
	btMatrix3x3 rest = top_left * m_upper_left;
	for (int i = 0; i < 3; i++) rest[i][i] -= 1.0;
	m_lower_left = minus_inverse_mass * rest;
}

btSpatialMotionVector Response::base_acceleration(const btSpatialForceVector& force) const
{
	if (m_parts.empty()) return -btSpatialMotionVector(force.getAngular() / m_base_inertia, force.getLinear() / m_base_mass);
	const btVector3 angular = m_upper_left * force.getLinear() + m_upper_right * force.getAngular();
	const btVector3 linear = m_lower_left * force.getLinear() + m_lower_right * force.getAngular();
	return -btSpatialMotionVector(angular, linear);
}

void Response::compute(const btScalar* jacobian, int link, btScalar* response)
{
	for (btScalar& force : m_forces) force = 0;

	// Down: the force that each part passes on to its parent. Below the first joint there is none.
	btSpatialForceVector passed;
	for (int i = link; i >= 0; i = m_parts[i].parent) {
		const Part& part = m_parts[i];
		if (part.coordinate >= 0) {
			const btScalar force = jacobian[6 + part.coordinate] - part.axis.dot(passed);
			m_forces[part.coordinate] = force;
			passed += part.inertia_along_axis * (part.inverse_inertia * force);
		}
		passed.m_bottomVec = passed.m_bottomVec + part.offset.cross(passed.m_topVec);
		if (part.turns) {
			const btMatrix3x3 back = part.rotation.transpose();
			passed.m_topVec = back * passed.m_topVec;
			passed.m_bottomVec = back * passed.m_bottomVec;
		}
	}

	btSpatialMotionVector& base = m_accelerations[0];
	base.setZero();
	for (int i = 0; i < 6; i++) response[i] = 0;
	if (!m_fixed) {
		const btVector3 angular(-jacobian[0], -jacobian[1], -jacobian[2]), linear(-jacobian[3], -jacobian[4], -jacobian[5]);
		base = base_acceleration(btSpatialForceVector(m_base_rotation * angular, m_base_rotation * linear) + passed);
		const btMatrix3x3 to_world = m_base_rotation.transpose();
		const btVector3 spin = to_world * base.getAngular(), velocity = to_world * base.getLinear();
		for (int i = 0; i < 3; i++) {
			response[i] = spin[i];
			response[3 + i] = velocity[i];
		}
	}

	// Up: how each part moves with its parent, and its joint besides.
	for (size_t i = 0; i < m_parts.size(); i++) {
		const Part& part = m_parts[i];
		if (part.ends) continue;
		const btSpatialMotionVector& parent = m_accelerations[part.parent + 1];
		btSpatialMotionVector& own = m_accelerations[i + 1];
		own.m_topVec = part.turns ? part.rotation * parent.m_topVec : parent.m_topVec;
		own.m_bottomVec = -part.offset.cross(own.m_topVec) + (part.turns ? part.rotation * parent.m_bottomVec : parent.m_bottomVec);
		if (part.coordinate < 0) continue;
		const btScalar joint = part.inverse_inertia * (m_forces[part.coordinate] - own.dot(part.inertia_along_axis));
		response[6 + part.coordinate] = joint;
		own += part.axis * joint;
	}
}

void Response::jacobians(const btVector3& at, int link, const btVector3 directions[3], btScalar* jacobian[3])
{
	btVector3 point = at - m_base_position;
	btVector3 direction[3];
	for (int d = 0; d < 3; d++) {
		const btVector3 moment = point.cross(directions[d]);
		for (int i = 0; i < 3; i++) {
			jacobian[d][i] = moment[i];
			jacobian[d][3 + i] = directions[d][i];
		}
		for (int i = 6; i < m_coordinates; i++) jacobian[d][i] = 0;
		direction[d] = m_base_rotation * directions[d];
	}
	point = m_base_rotation * point;

	// From the base to the link, with point and directions in the frame of the part at hand.
	m_way.clear();
	for (int i = link; i >= 0; i = m_parts[i].parent) m_way.push_back(i);
	for (size_t step = m_way.size(); step-- > 0;) {
		const Part& part = m_parts[m_way[step]];
		if (part.turns) {
			point = part.rotation * point;
			for (btVector3& each : direction) each = part.rotation * each;
		}
		point = point - part.offset;
		if (part.coordinate < 0) continue;
		const btVector3 motion = part.turns ? part.axis.m_topVec.cross(point) + part.axis.m_bottomVec : part.axis.m_bottomVec;
		for (int d = 0; d < 3; d++) jacobian[d][6 + part.coordinate] = direction[d].dot(motion);
	}
}
