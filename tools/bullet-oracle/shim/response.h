// How the robot's velocity answers an impulse.
#pragma once

#include <vector>

#include "BulletDynamics/Featherstone/btMultiBody.h"

// Featherstone's propagation of an impulse through the tree, from what btMultiBody left behind when it computed accelerations.
//
// It gives the bits of btMultiBody::calcAccelerationDeltasMultiDof for less work: on the way down it walks only the links between the
// impulse and the base, on the way up it leaves out welded ends, welds and slides skip their identity rotation, and the base's
// inertia is inverted once instead of once per impulse. All of it is arithmetic with exact zeros and ones.
class Response {
public:
	// Takes over the robot's state; to be called after its accelerations were computed.
	void update(const btMultiBody& robot);

	// Velocity changes by a unit impulse along `jacobian`, whose joint coordinates are zero off the way from `link` to the base.
	void compute(const btScalar* jacobian, int link, btScalar* response);

	// Rates at which a point of a link moves along three directions when each coordinate changes at unit speed.
	void jacobians(const btVector3& point, int link, const btVector3 directions[3], btScalar* jacobian[3]);

private:
	struct Part {
		int parent, coordinate;  // coordinate -1: a weld
		bool turns, ends;        // a hinge; a weld on which nothing hangs
		btMatrix3x3 rotation;    // from the parent's frame
		btVector3 offset;        // from the parent's centre of mass, in this frame
		btSpatialMotionVector axis;
		btSpatialForceVector inertia_along_axis;
		btScalar inverse_inertia;
	};

	void invert_base_inertia(const btMultiBody& robot);
	btSpatialMotionVector base_acceleration(const btSpatialForceVector& force) const;

	std::vector<Part> m_parts;
	std::vector<int> m_way;  // links between a link and the base
	int m_coordinates = 0;
	bool m_fixed = true;
	btScalar m_base_mass = 0;
	btVector3 m_base_position, m_base_inertia;
	btMatrix3x3 m_base_rotation;
	btMatrix3x3 m_upper_left, m_upper_right, m_lower_left, m_lower_right;  // of the inverse of the base's inertia
	std::vector<btSpatialMotionVector> m_accelerations;                    // of the base, then of each part
	std::vector<btScalar> m_forces;                                        // left over at each joint on the way down
};
